import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { awsDoors, localDoors, type TrialDoors } from "../support/trial-doors.ts";
import { inputs, outsideWorld, runCount } from "../support/recorded-turns.ts";
import { sandbox } from "./sandbox/sandbox.ts";

// An unchanged agent on recorded turns of every kind, with a model that answers the same to the same.

interface Recorded {
  agentId: string;
  /** Of the runs, in the order of `inputs`. */
  ids: string[];
}

/** Records the runs, one after the other if a turn of a run needs the one before. */
async function record({ call, settleHere, organizationId }: TrialDoors): Promise<Recorded> {
  const agent = { organization_id: organizationId, definition: world.definition };
  const { id: agentId } = await call<Schemas["Agent"]>("POST", "/agents", agent);
  const ids = await Promise.all(
    inputs.map(async ({ first }) => {
      const body = { agent_id: agentId, name: first, input_text: first };
      const { id } = await call<Schemas["CreatedRun"]>("POST", "/runs", body);
      return id;
    }),
  );
  for (const id of ids) await settleHere(`/runs/${id}`);
  const seconds = inputs.flatMap(({ second }, index) => (second === undefined ? [] : [{ id: ids[index], second }]));
  for (const { id, second } of seconds) await call("POST", `/runs/${id}/input`, { input_text: second });
  for (const { id } of seconds) await settleHere(`/runs/${id}`);
  await expectEveryKind(call, ids);
  return { agentId, ids };
}

/** What the record must have, or the test would show less than it says. */
async function expectEveryKind(call: TrialDoors["call"], ids: string[]): Promise<void> {
  const pages = await Promise.all(ids.map((id) => call<Schemas["EventPage"]>("GET", `/runs/${id}/events?limit=100`)));
  const events = pages.flatMap(({ data }) => data);
  expect([...new Set<string>(events.map(({ type }) => type))]).toEqual(
    expect.arrayContaining(["model_call_failed", "summary", "tool_result", "output"]),
  );
  expect(events.some((event) => event.type === "model_call" && event.truncated_results !== null)).toBe(true);
  const failed = events.filter((event) => event.type === "tool_result" && event.is_error);
  expect(failed.length).toBeGreaterThan(20);
  expect(world.reached()).toEqual(expect.arrayContaining(Object.values(world.ports)));
}

/** Tries the last turn of each run with the unchanged agent. */
async function expectAllSame({ call, settle, port: own }: TrialDoors, { agentId, ids }: Recorded): Promise<void> {
  world.reached();
  const before = world.asked();
  const runs = ids.map((run_id, index) => ({ run_id, turn: inputs[index]?.second === undefined ? 1 : 2 }));
  const body = { version: 1, budget: { dollars: 5 }, runs, control: 0, concurrency: 8 };
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
  expect(model).toBeGreaterThan(before.model + runCount);
  const allowed = new Set<number>([world.ports.model, own]);
  expect(world.reached().filter((port) => !allowed.has(Number(port)))).toEqual([]);
}

let world: Awaited<ReturnType<typeof outsideWorld>>;
beforeEach(async () => void (world = await outsideWorld()));
afterEach(() => world[Symbol.asyncDispose]());

describe("50 of 50 turns are the same, and nothing but the model is reached", { timeout: 300_000 }, () => {
  test("on one machine", async () => {
    await using doors = await localDoors(world.model);
    await expectAllSame(doors, await record(doors));
  });

  test("on AWS, through the exported handlers", async () => {
    await using doors = await awsDoors(world.model, sandbox);
    await expectAllSame(doors, await record(doors));
  });
});
