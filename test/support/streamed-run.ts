import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import type { Model, ModelAnswer } from "../../src/agent/model.ts";
import { extHandlers } from "../../src/ext/handlers/ext-handlers.ts";
import { extResponseLimit } from "../../src/ext/on-lambda.ts";
import { extRouter } from "../../src/ext/router.ts";
import { compression } from "../../src/http/server/lambda.ts";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { signedTransfers } from "../../src/platform/aws/s3/signed-transfers.ts";
import { externalWorkflow } from "../../src/platform/local/workflow.ts";
import { advance } from "../../src/workflow/advance.ts";
import { fakeAwsStores } from "./fake-aws/platform.ts";
import { apiFunction } from "./lambda-function.ts";

type Input = Record<string, unknown>;

/** Watches what reaches the table for the text of a run, and can fail it. */
export function observedStores() {
  const stores = fakeAwsStores();
  const calls = { marks: [] as Input[], texts: [] as Input[] };
  /** Called for each mark and text before it is sent. */
  const before = { mark: async (): Promise<void> => {}, text: async (): Promise<void> => {} };
  stores.documents.middlewareStack.add(
    (next) => async (args) => {
      const input = args.input as Input;
      if (String(input["UpdateExpression"]).includes("watchedUntil")) {
        calls.marks.push(input);
        await before.mark();
      }
      const item = input["Item"] as Input | undefined;
      if (item?.["sk"] === "TEXT") {
        calls.texts.push(item);
        await before.text();
      }
      return next(args);
    },
    { step: "initialize", priority: "high" },
  );
  return { stores, calls, before };
}

const limits = { steps: 10, tokens: 1_000_000, seconds: 3_600 };

/** The extension API on Lambda, and a worker in another process, whose model writes what the test says. */
export async function streamedRun({ streamInterval }: { streamInterval?: number } = {}) {
  const { stores, calls, before } = observedStores();
  const { accounts } = stores;
  const organization = await createOrganization(accounts, { name: "O", model: { provider: "demo", enabled: true } });
  const definition = { name: "Agent", instructions: "Work.", tools: ["list_files"], limits, allowDelete: true };
  const agent = await createAgent(accounts, organization.id, definition);
  const { key } = await createKey(accounts, agent.id);
  const deps = { ...stores, workflow: externalWorkflow, now: Date.now, secretRefusal: () => undefined };
  const accepted = { inlineBytes: 2 ** 21, uploadBytes: 2 ** 20 };
  const s3 = newS3Client({ region: "eu-central-1", credentials: { accessKeyId: "A", secretAccessKey: "s" } });
  const transfers = signedTransfers(async () => s3, "bucket");
  const handlers = extHandlers({
    ...deps,
    limits: accepted,
    transfers,
    ...(streamInterval && { streamInterval }),
    wait: { interval: 20, clientSeconds: 0 },
  });
  const handle = apiFunction(extRouter(handlers, stores), extResponseLimit, compression);

  async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await handle({
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      rawPath: `/ext/v1${path}`,
      rawQueryString: "",
      isBase64Encoded: false,
      ...(body && { body: JSON.stringify(body) }),
      requestContext: { requestId: "r", http: { method } },
    });
    return { status: answer.statusCode, text: answer.body ?? "" };
  }

  const { status, text } = await call("POST", "/runs", { name: "r", input_text: "Write." });
  expect(status).toBe(201);
  const { id } = JSON.parse(text) as { id: string };

  /** Model calls in progress, in the order of their arrival. */
  const models: { writes: (text: string) => void; answers: (answer: Partial<ModelAnswer>) => void }[] = [];
  const model: Model = ({ onText }) =>
    new Promise((resolve) => {
      const usage = { inputTokens: 1, outputTokens: 1 };
      models.push({
        writes: (written) => onText?.(written, ""),
        answers: (answer) => resolve({ answer: { text: "", toolCalls: [], finishReason: "stop", usage, ...answer } }),
      });
    });
  const worker = { ...stores.inAnotherProcess(), now: Date.now, secretOf: async () => undefined };
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const budget = { signal: new AbortController().signal, deadline: Infinity };

  return {
    call,
    calls,
    before,
    id,
    stores,
    work: () => advance({ ...worker, openModel }, { runId: id, turn: 1 }, budget),
    nextModelCall: async () => {
      await expect.poll(() => models.length).toBeGreaterThan(0);
      const next = models.shift();
      if (!next) throw new Error("no model call");
      return next;
    },
    /** The messages of a response with all events. */
    stream: async () => {
      const response = await call("GET", `/runs/${id}/events`, undefined, { accept: "text/event-stream" });
      expect(response.status).toBe(200);
      const data = (name: string) =>
        [...response.text.matchAll(new RegExp(`^event: ${name}\\ndata: (.*)$`, "gm"))].map(
          ([, json = ""]) => JSON.parse(json) as Input,
        );
      const retries = [...response.text.matchAll(/^retry: (\d+)$/gm)].map(([, milliseconds]) => Number(milliseconds));
      return { deltas: data("delta"), thinking: data("thinking"), events: data("event"), ends: data("end"), retries };
    },
  };
}

/** Sort keys of a run's items. */
export async function itemsOf({ documents }: ReturnType<typeof fakeAwsStores>, id: string): Promise<unknown[]> {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: "T",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `RUN#${id}` },
    }),
  );
  return Items.map(({ sk }) => sk as unknown);
}
