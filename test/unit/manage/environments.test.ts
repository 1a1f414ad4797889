import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import type { Schemas } from "../../../src/manage/call.ts";
import type { KnownEnvironment } from "../../../src/sandbox/linux/linux-types.ts";
import { openapiDocument } from "../../../src/manage/generated/openapi.ts";
import { manageHandlers } from "../../../src/manage/handlers/manage-handlers.ts";
import { manageRouter } from "../../../src/manage/router.ts";
import { awsSecrets } from "../../../src/platform/aws/secrets.ts";
import { stamped } from "../../../src/runs/events.ts";
import { encodeConfiguration } from "../../../src/runs/turn-configuration.ts";
import { answered, input, newRun } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { responseChecks } from "../../support/rest-contract.ts";

const digest = `sha256:${"a1".repeat(32)}`;
const linux: KnownEnvironment = {
  engine: "bubblewrap",
  facts: {
    name: "linux",
    digest,
    system: "Debian 13",
    programs: { gawk: "5.2.1" },
    python: { version: "3.13.5", libraries: { pandas: "2.3.3" } },
  },
};
const noLinux: KnownEnvironment = { name: "linux", unavailable: "bubblewrap is missing. Install it." };
const limits = { steps: 5, tokens: 1_000, seconds: 60 };
const problemsOf = responseChecks(openapiDocument);

/** A management API that knows these environments, and its stores. */
function manageApi(environments?: KnownEnvironment[]) {
  const stores = fakeAwsStores();
  const handlers = manageHandlers({
    ...stores,
    ...awsSecrets(() => Promise.reject(new Error("not used")), "agent-run-service/prod/"),
    workflow: { start: async () => {}, stop: async () => {} },
    now: Date.now,
    service: {
      platform: "local",
      version: "0",
      sign_in: "token",
      stack: null,
      bodyBytes: 1,
      serviceUrl: () => null,
      ...(environments && { environments: async () => environments }),
    },
  });
  const handle = manageRouter(handlers, async () => ({ actor: "a", name: "mira", role: "operator" }), stores);
  async function get<Body>(path: string, query = ""): Promise<Body> {
    const response = await handle({
      id: "r",
      method: "GET",
      path: `/manage/v1${path}`,
      query: new URLSearchParams(query),
      parameters: {},
      headers: {},
      parseBody: (parse) => parse(""),
    });
    expect(response.status).toBe(200);
    const body = JSON.parse(String(response.body)) as Body;
    const { status, headers } = response;
    const contentType = headers["content-type"] ?? null;
    expect(problemsOf("GET", `/manage/v1${path}`, { status, contentType, body })).toEqual([]);
    return body;
  }
  return { stores, get };
}

test("GET /me lists the environments with what they have, or why one cannot be used", async () => {
  const { get } = manageApi([linux, { name: "r", unavailable: "The image is missing. Install it." }]);
  expect((await get<Schemas["Me"]>("/me")).environments).toEqual([
    {
      name: "linux",
      unavailable: null,
      engine: "bubblewrap",
      digest,
      system: "Debian 13",
      programs: { gawk: "5.2.1" },
      python: { version: "3.13.5", libraries: { pandas: "2.3.3" } },
    },
    {
      name: "r",
      unavailable: "The image is missing. Install it.",
      engine: null,
      digest: null,
      system: null,
      programs: null,
      python: null,
    },
  ]);
  expect((await manageApi().get<Schemas["Me"]>("/me")).environments).toBeNull();
});

test.each([
  ["run_shell without Linux", [noLinux], { tools: ["run_shell", "run_python"] }, ["run_shell cannot", "Install it."]],
  ["run_python without Linux", [noLinux], { tools: ["run_python"] }, []],
  ["the default environment", [linux], { tools: ["run_shell"] }, []],
  [
    "an unknown environment",
    [linux],
    { tools: ["run_shell", "run_python"], environment: "r" },
    ["run_shell and run_python cannot use the environment r: it is not set up here. Known: linux."],
  ],
  ["an unknown environment, not used", [linux], { tools: ["read_file"], environment: "r" }, []],
  ["a platform that lists none", undefined, { tools: ["run_shell"], environment: "r" }, []],
])("warns of an agent whose programs cannot run as defined: %s", async (_, environments, fields, expected) => {
  const { stores, get } = manageApi(environments);
  const { id } = await createOrganization(stores.accounts, { name: "O" });
  const agent = await createAgent(stores.accounts, id, { name: "A", instructions: "I", limits, ...fields });
  const { definition, warnings } = await get<Schemas["Agent"]>(`/agents/${agent.id}`);
  expect(definition.environment).toBe("environment" in fields ? fields.environment : undefined);
  const [noModel, ...others] = warnings;
  expect(noModel).toContain("no inference model");
  expect(others).toHaveLength(expected.length === 0 ? 0 : 1);
  for (const part of expected) expect(others[0]).toContain(part);
});

test("a run and the request of its step show the environment that the turn's programs ran in", async () => {
  const { stores, get } = manageApi();
  const { id: organizationId } = await createOrganization(stores.accounts, { name: "O" });
  const definition = { name: "A", instructions: "I", tools: ["run_python"], limits };
  const agent = await createAgent(stores.accounts, organizationId, definition);
  const environment = { name: "linux", digest, engine: "bubblewrap" } as const;
  for (const used of [environment, undefined]) {
    const configuration = encodeConfiguration({ agent: definition, ...(used && { environment: used }), offered: [] });
    await stores.configurations.put(agent.id, configuration);
    const run = newRun({ id: randomUUID(), agentId: agent.id, organizationId });
    const [message] = stamped([input(1, "Go.")], { sequence: 0, at: run.createdAt });
    await stores.runs.create({ ...run, sequence: 1 }, message ? [message] : []);
    const entry = { ...answered(1, 1), configuration: configuration.hash };
    const change = { runId: run.id, expect: { status: run.status, turn: 1 }, messages: [] };
    const entries = stamped([entry], { sequence: 1, at: run.createdAt });
    expect(await stores.runs.change({ ...change, entries })).toBe(true);
    const detail = await get<Schemas["RunDetail"]>(`/runs/${run.id}`);
    expect(detail.environment).toEqual(used ?? null);
    const request = await get<Schemas["ModelRequest"]>(`/runs/${run.id}/request`, "at=1.1");
    expect([request.environment, request.configuration]).toEqual([used ?? null, configuration.hash]);
  }
});
