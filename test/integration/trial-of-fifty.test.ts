import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { createOrganization, setModel } from "../../src/accounts/organizations.ts";
import { decodeRequest, encodeMessage } from "../../src/sandbox/codec.ts";
import { advance } from "../../src/workflow/advance.ts";
import { awsHandlers } from "../support/aws-handlers.ts";
import { manageService } from "../support/manage-service.ts";
import { inputs, outsideWorld, runCount } from "../support/recorded-turns.ts";
import { sandbox } from "./sandbox/sandbox.ts";

// An unchanged agent on recorded turns of every kind, with a model that answers the same to the same.

/** The doors of a platform. */
interface Platform {
  call: <Body>(method: string, path: string, body?: object) => Promise<Body>;
  /** Resolves when nothing is in progress at this path. */
  settle: (path: string) => Promise<void>;
}

/** Records the runs, one after the other if a turn of a run needs the one before. */
async function record({ call, settle }: Platform, agentId: string): Promise<string[]> {
  const ids = await Promise.all(
    inputs.map(async ({ first }) => {
      const body = { agent_id: agentId, name: first, input_text: first };
      const { id } = await call<Schemas["CreatedRun"]>("POST", "/runs", body);
      return id;
    }),
  );
  for (const id of ids) await settle(`/runs/${id}`);
  const seconds = inputs.flatMap(({ second }, index) => (second === undefined ? [] : [{ id: ids[index], second }]));
  for (const { id, second } of seconds) await call("POST", `/runs/${id}/input`, { input_text: second });
  for (const { id } of seconds) await settle(`/runs/${id}`);
  return ids;
}

/** What the record must have, or the test would show less than it says. */
async function expectEveryKind({ call }: Platform, ids: string[]): Promise<void> {
  const pages = await Promise.all(ids.map((id) => call<Schemas["EventPage"]>("GET", `/runs/${id}/events?limit=100`)));
  const events = pages.flatMap(({ data }) => data);
  expect([...new Set<string>(events.map(({ type }) => type))]).toEqual(
    expect.arrayContaining(["model_call_failed", "summary", "tool_result", "output"]),
  );
  expect(events.some((event) => event.type === "model_call" && event.truncated_results !== null)).toBe(true);
  const failed = events.filter((event) => event.type === "tool_result" && event.is_error);
  expect(failed.length).toBeGreaterThan(20);
}

/** Tries the last turn of each run with the unchanged agent. `own`: ports of the platform itself. */
async function expectAllSame(
  { call, settle }: Platform,
  { ids, agentId, own }: { ids: string[]; agentId: string; own: number[] },
  mode: Schemas["Trial"]["mode"],
): Promise<void> {
  world.reached();
  const before = world.asked();
  const runs = ids.map((run_id, index) => ({ run_id, turn: inputs[index]?.second === undefined ? 1 : 2 }));
  const candidate = mode === "replay" ? {} : { version: 1, budget: { dollars: 5 } };
  const body = { ...candidate, mode, runs, control: 0, concurrency: 8 };
  const { id, estimate } = await call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, body);
  expect(estimate.cases).toBe(runCount);
  await call("POST", `/trials/${id}/start`);
  await settle(`/trials/${id}`);
  const { summary } = await call<Schemas["Trial"]>("GET", `/trials/${id}`);
  const { data } = await call<Schemas["TrialCasePage"]>("GET", `/trials/${id}/cases`);
  const others = data.filter(({ verdict }) => verdict !== "same");
  expect(others.map(({ input, verdict, candidate: tried }) => [input, verdict, tried])).toEqual([]);
  expect(summary.text).toContain("50 tried · 50 same");
  const { model, ...outside } = world.asked();
  expect(outside).toEqual({ pages: before.pages, mcp: before.mcp });
  if (mode === "replay") expect(model).toBe(before.model);
  else expect(model).toBeGreaterThan(before.model + runCount);
  const allowed = mode === "replay" ? own : [world.ports.model, ...own];
  expect(world.reached().filter((port) => !allowed.includes(Number(port)))).toEqual([]);
}

let world: Awaited<ReturnType<typeof outsideWorld>>;
beforeEach(async () => void (world = await outsideWorld()));
afterEach(() => world[Symbol.asyncDispose]());

describe("50 of 50 turns are the same, and nothing but the model is reached", { timeout: 120_000 }, () => {
  test("on one machine, in all modes", async () => {
    await using service = await manageService({ model: world.model, sandbox: "auto" });
    const call: Platform["call"] = async (method, path, body) =>
      (await service.call<never>(method, path, body && { body })).body;
    const platform: Platform = {
      call,
      async settle(path) {
        for (;;) {
          const { status } = await call<{ status: string }>("GET", path);
          if (status === "finished") return;
          if (status !== "running") throw new Error(`${path} is ${status}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      },
    };
    const { organization_id } = await call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
    const { definition } = world;
    const { id: agentId } = await call<Schemas["Agent"]>("POST", "/agents", { organization_id, definition });
    const ids = await record(platform, agentId);
    await expectEveryKind(platform, ids);
    expect(world.reached()).toEqual(expect.arrayContaining(Object.values(world.ports)));
    const own = [Number(new URL(service.baseUrl).port)];
    for (const mode of ["rerun", "next_step", "replay"] as const)
      await expectAllSame(platform, { ids, agentId, own }, mode);
  });

  test("on AWS, through the exported handlers", async () => {
    vi.spyOn(process.stdout, "write").mockReturnValue(true); // metrics
    const neverAborts = new AbortController().signal;
    const runProgram = async (event: unknown) => {
      const { request } = event as { request: string };
      return { result: encodeMessage(await sandbox.run(decodeRequest(request), neverAborts)) };
    };
    await using service = await awsHandlers({
      functions: { sandbox: runProgram },
      environment: { SANDBOX_FUNCTION: "sandbox" },
    });
    const { aws, platform, call, work } = service;
    const { id: organization_id } = await createOrganization(platform.accounts, { name: "O" });
    await setModel(platform.accounts, organization_id, world.model);
    const { definition } = world;
    const { id: agentId } = await call<Schemas["Agent"]>("POST", "/agents", { organization_id, definition });
    // Functions on AWS never connect to their own machine, where the tests' servers are: the turns are recorded without them.
    const recorder = {
      ...platform,
      now: Date.now,
      addresses: "local" as const,
      sandboxOf: () => sandbox,
      secretOf: async () => undefined,
    };
    const takeTurn = async (input: string): Promise<void> => {
      const turn = JSON.parse(input) as { runId: string; turn: number };
      const budget = { signal: neverAborts, deadline: Infinity };
      while (!(await advance(recorder, turn, budget)).done);
    };
    const ids = await record({ call, settle: () => work(takeTurn) }, agentId);
    const doors = { call, settle: () => work() };
    await expectEveryKind(doors, ids);
    const own = [Number(new URL(aws.endpoint).port)];
    await expectAllSame(doors, { ids, agentId, own }, "rerun");
  });
});
