import { afterEach, expect, test, vi } from "vitest";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setModel } from "../../../src/accounts/organizations.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import { sandboxFunctions } from "../../../src/platform/aws/functions/sandbox-functions.ts";
import { awsPlatform } from "../../../src/platform/aws/open-platform.ts";
import { createRun } from "../../../src/runs/begin/create-run.ts";
import { journalOf } from "../../../src/runs/read/list-events.ts";
import type { AdvancePayload, AdvanceResponse } from "../../../src/workflow/payload.ts";
import { lastStepSeconds } from "../../../src/workflow/policy.ts";
import { chatServer, scripted } from "../../providers/chat-completions-server.ts";
import { fakeAwsEndpoint } from "../../support/fake-aws/endpoint.ts";
import { asLambda } from "../../support/lambda-function.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const definition = {
  name: "Agent",
  instructions: "First instructions.",
  tools: ["list_files", "write_file"],
  limits: { steps: 20, tokens: 1e6, seconds: 1e6 },
};
const changed = { ...definition, instructions: "Second instructions.", tools: ["list_files"] };

/** Milliseconds that the clock is ahead. Each of the first two model calls takes longer than an invocation has. */
let ahead = 0;

/** Takes three steps. */
const works = scripted(({ step }) => {
  if (step <= 2) ahead += 61_000;
  return step > 3 ? { text: "Done." } : { calls: [["write_file", { name: `${step}.txt`, content: "x" }]] };
});

test("a turn that pauses at Lambda's deadline ends on its configuration in a new environment", async () => {
  const aws = await fakeAwsEndpoint({}, { keepsObjects: true });
  await using model = await chatServer(...Array.from({ length: 20 }, () => works));
  const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
  const platform = awsPlatform({
    clients: { region: "eu-central-1", credentials, endpoint: aws.endpoint },
    table: "table",
    bucket: "bucket",
    secretPrefix: "agent-run-service/prod/",
    stateMachineArn: "arn",
    retentionDays: 90,
  });
  const environment = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    TABLE_NAME: "table",
    BUCKET_NAME: "bucket",
    DOCUMENTS_FUNCTION: "documents",
    RETENTION_DAYS: "90",
    SECRET_PREFIX: "agent-run-service/prod/",
    STATE_MACHINE_ARN: "arn",
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, "write").mockReturnValue(true); // metrics
  const systemTime = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => systemTime() + ahead);
  const elapsed = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => elapsed() + ahead);

  const { id: organizationId } = await createOrganization(platform.accounts, { name: "O" });
  const settings = { provider: "openai-compatible", baseUrl: model.baseUrl, model: "m", enabled: true } as const;
  await setModel(platform.accounts, organizationId, settings);
  const agent = await createAgent(platform.accounts, organizationId, definition);
  const create = { ...platform, now: Date.now, secretRefusal: () => undefined };
  const input = { name: "Run", text: "Work." };
  const { id: runId } = await createRun(create, { agentId: agent.id, organizationId }, input);

  /** Calls the handler in a new execution environment. No step starts after a minute. */
  async function invoke(): Promise<AdvanceResponse> {
    vi.resetModules();
    const { handler } = await import("../../../lambdas/advance.ts");
    (await import("../../../src/log.ts")).logging.level = "off";
    const context = { getRemainingTimeInMillis: () => lastStepSeconds * 1_000 + 60_000 };
    return asLambda<AdvancePayload, AdvanceResponse>(handler)({ runId, turn: 1 }, context);
  }

  expect(await invoke()).toMatchObject({ done: false });
  expect(model.received).toHaveLength(1);
  await updateAgent(platform.accounts, agent.id, changed);
  await setModel(platform.accounts, organizationId, { ...settings, model: "other" });
  expect(await invoke()).toMatchObject({ done: false });
  expect(await invoke()).toMatchObject({ done: true });
  expect(model.received).toHaveLength(4);
  for (const { body } of model.received) {
    expect(body["model"]).toBe("m");
    expect(JSON.stringify(body.messages[0])).toContain("First instructions.");
    expect(body["tools"]).toHaveLength(2);
  }
  expect((await journalOf(platform, runId))[0]).toMatchObject({ agentVersion: 1 });
  platform.close();
  await aws.close();
});

test("with the variables of 0.2.0, as in an update, documents wait and a result is kept unchecked", async () => {
  vi.stubEnv("BUCKET_NAME", "bucket");
  const settings = { region: "eu-central-1", credentials: { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" } };
  const owner = { organizationId: "O", agentId: "A" };
  const { signal } = new AbortController();
  const { readDocumentOf, checkResultOf } = sandboxFunctions(settings);
  const unchecked = expect.stringContaining("the stack is being updated") as string;
  expect(await checkResultOf?.(owner)({ type: "object" }, "{}", signal)).toEqual({ unchecked });
  await expect(readDocumentOf?.(owner)("pdf", new Uint8Array(1), signal)).rejects.toThrow(StoreUnavailable);
});
