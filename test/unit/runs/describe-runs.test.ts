import { describe, expect, test } from "vitest";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import type { ToolCall } from "../../../src/agent/model.ts";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import { runDescriber } from "../../../src/runs/read/describe-runs.ts";
import { stamped } from "../../../src/runs/events.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { encodeConfiguration } from "../../../src/runs/turn-configuration.ts";
import type { Run, RunChange, RunJournalEntry, TurnMessage } from "../../../src/runs/run-types.ts";
import { anAnswer, answered, input, newRun, output, resulted } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const createdAt = 1_763_000_000_000;
const definition = {
  name: "Agent",
  instructions: "",
  tools: [],
  limits: { steps: 5, tokens: 10_000, seconds: 60 },
};

function calling(turn: number, step: number, ...names: string[]): RunJournalEntry {
  const toolCalls: ToolCall[] = names.map((name, index) => ({ id: `c${index}`, name, input: {} }));
  return { turn, step, part: "answer", answer: { ...anAnswer, toolCalls, finishReason: "tool-calls" } };
}

/** A run whose events are recorded one change at a time, with a clock. */
async function open(stores: Stores, fields: Partial<Run> = {}) {
  const organization = await createOrganization(stores.accounts, { name: "Organization" });
  const agent = await createAgent(stores.accounts, organization.id, definition);
  const clock = { now: createdAt };
  const newDescriber = () => runDescriber({ ...stores, now: () => clock.now });
  const ids = { agentId: agent.id, organizationId: organization.id };
  const start = newRun({ ...ids, createdAt, updatedAt: createdAt, ...fields });
  const first: TurnMessage = { ...input(1, "What is new?"), agentVersion: 1 };
  const messages = start.turn === 0 ? [] : stamped([first], { sequence: 0, at: createdAt });
  await stores.runs.create({ ...start, sequence: messages.length }, messages);
  const describer = newDescriber();
  const head = async (): Promise<Run> => {
    const run = await stores.runs.head(start.id);
    if (!run) throw new Error("the run is gone");
    return run;
  };
  const describeWith = async (by = describer) => by.describe(await head(), agent);
  return {
    agent,
    clock,
    head,
    describe: describeWith,
    describeAnew: () => describeWith(newDescriber()),
    detail: async (by = describer) => by.detail(await head()),
    detailAnew: async () => newDescriber().detail(await head()),
    /** Records entries and messages one second after the last ones. */
    async record(entries: RunJournalEntry[], messages2: TurnMessage[] = [], more: Partial<RunChange> = {}) {
      const { id: runId, sequence, status, turn } = await head();
      clock.now += 1_000;
      const stamp = { sequence, at: clock.now };
      const change = {
        runId,
        expect: { status, turn },
        entries: stamped(entries, stamp),
        messages: stamped(messages2, { ...stamp, sequence: sequence + entries.length }),
        ...more,
      };
      expect(await stores.runs.change(change)).toBe(true);
    },
  };
}

describe.each<[string, () => Stores]>([
  ["on one machine", () => temporaryStores()],
  ["on AWS", () => fakeAwsStores()],
])("a described run %s", (_, openStores) => {
  test("shows what it does after each event, also when its earlier events were not seen", async () => {
    const run = await open(openStores());
    const { clock } = run;
    const expectActivity = async (activity: object | undefined) => {
      expect((await run.describe())?.activity).toEqual(activity);
      expect((await run.describeAnew())?.activity).toEqual(activity);
    };
    expect(await run.describe()).toMatchObject({
      state: "running",
      inputExcerpt: "What is new?",
      agent: { version: 1 },
    });
    await expectActivity({ kind: "starting", turn: 1, step: 1, tools: [], since: createdAt });
    clock.now += 1_000;
    await expectActivity({ kind: "model_call", turn: 1, step: 1, tools: [], since: createdAt });

    await run.record([calling(1, 1, "read_file", "list_files")]);
    const called = clock.now;
    await expectActivity({ kind: "tool_calls", turn: 1, step: 1, tools: ["read_file", "list_files"], since: called });
    await run.record([{ turn: 1, step: 1, part: "began", call: 0 }, resulted(1, 1, 0)]);
    await expectActivity({ kind: "tool_calls", turn: 1, step: 1, tools: ["list_files"], since: called });
    await run.record([resulted(1, 1, 1)]);
    await expectActivity({ kind: "model_call", turn: 1, step: 2, tools: [], since: clock.now });

    const failure = { category: "model_unavailable", title: "Busy." } as const;
    await run.record([{ turn: 1, step: 2, part: "failed", failure, attempt: 1, milliseconds: 5, waitMs: 2_000 }]);
    const [failed, until] = [clock.now, clock.now + 2_000];
    await expectActivity({ kind: "retry_wait", turn: 1, step: 2, tools: [], since: failed, until });
    clock.now = until;
    await expectActivity({ kind: "model_call", turn: 1, step: 2, tools: [], since: until });

    const many = Array.from({ length: 60 }, (__, index) => `tool_${index}`);
    await run.record([calling(1, 2, ...many)]);
    await run.record(many.slice(1).map((___, index) => resulted(1, 2, index + 1)));
    expect((await run.describeAnew())?.activity).toMatchObject({ kind: "tool_calls", step: 2, tools: ["tool_0"] });

    const set = { status: "finished", turn: 1, updatedAt: clock.now } as const;
    const last: RunJournalEntry = { ...answered(1, 3), part: "answer", answer: anAnswer, ended: "steps" };
    await run.record([last], [output(1, "Done.")], { set });
    await expectActivity(undefined);
    expect(await run.describe()).toMatchObject({ state: "finished", finishReason: "steps" });
    expect(await run.describeAnew()).toMatchObject({ state: "finished", finishReason: "steps" });
  });

  test("waits for a slot or for input, or has ended", async () => {
    const idle = await open(openStores(), { status: "finished", turn: 0, sequence: 0 });
    const described = await idle.describe();
    expect(described).toEqual({ run: await idle.head(), state: "waiting_for_input", agent: idle.agent });
    const ended = await open(openStores());
    const set = { status: "terminated", turn: 1, updatedAt: createdAt + 5_000 } as const;
    await ended.record([answered(1, 1)], [], { set });
    expect(await ended.describe()).toMatchObject({ state: "terminated", inputExcerpt: "What is new?" });
    expect((await ended.describe())?.finishReason).toBeUndefined();
    expect(await ended.detail()).toMatchObject({ turnUsage: { steps: 1, milliseconds: 5_000 } });
  });

  test("has the usage, the start and the limits of its current turn", async () => {
    const stores = openStores();
    const run = await open(stores);
    const { clock, agent } = run;
    const { limits } = definition;
    expect(await run.detail()).toMatchObject({ limits, agentVersion: 1, turnUsage: noUsage, turnStartedAt: createdAt });
    const changed = { ...definition, limits: { ...limits, steps: 9 }, runLimits: { dollars: 3 } };
    await updateAgent(stores.accounts, agent.id, changed);
    expect(await run.detail()).toMatchObject({ limits, agentVersion: 1, agent: { version: 2 } });

    const stored = encodeConfiguration({ agent: { ...definition, limits: { ...limits, steps: 7 } }, offered: [] });
    await stores.configurations.put(agent.id, stored);
    const reference = { configuration: stored.hash, agentVersion: 1 };
    const used = { ...noUsage, steps: 1, inputTokens: 1, outputTokens: 1 };
    await run.record([{ ...calling(1, 1, "list_files"), ...reference }], [], { used });
    for (const detail of [await run.detail(), await run.detailAnew()]) {
      expect(detail).toMatchObject({
        limits: { steps: 7 },
        agentVersion: 1,
        turnUsage: used,
        turnStartedAt: createdAt,
      });
    }
    const endedAt = clock.now + 1_000;
    await run.record(
      [resulted(1, 1), answered(1, 2)],
      [output(1, "Done."), { ...input(2, "More?"), agentVersion: 2 }],
      { set: { status: "running", turn: 2, updatedAt: endedAt }, used: { ...used, milliseconds: 2_000 } },
    );
    for (const detail of [await run.detail(), await run.detailAnew()]) {
      expect(detail).toMatchObject({ limits: { steps: 9 }, runLimits: { dollars: 3 }, agentVersion: 2 });
      expect(detail).toMatchObject({ turnUsage: noUsage, turnStartedAt: endedAt, run: { used: { steps: 2 } } });
    }
    const set = { status: "finished", turn: 2, updatedAt: clock.now + 1_000 } as const;
    await run.record([answered(2, 1)], [output(2, "No.")], { set, used });
    for (const detail of [await run.detail(), await run.detailAnew()]) {
      expect(detail).toMatchObject({ turnUsage: { ...used, milliseconds: 1_000 }, turnStartedAt: endedAt });
    }
  });
});

test("polling a list reads each event once, and ended runs not again", async () => {
  const stores = fakeAwsStores();
  const run = await open(stores);
  const callsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = stores.calls();
    await work();
    return stores.calls() - before;
  };
  const headOnly = await callsOf(run.head);
  await run.describe();
  expect(await callsOf(run.describe)).toBe(headOnly);
  await run.record([calling(1, 1, "list_files")]);
  expect(await callsOf(run.describe)).toBeLessThanOrEqual(headOnly + 3);
  expect(await callsOf(run.describe)).toBe(headOnly);
  const set = { status: "finished", turn: 1, updatedAt: createdAt } as const;
  await run.record([answered(1, 2)], [output(1, "Done.")], { set });
  await run.describe();
  expect(await callsOf(run.describe)).toBe(headOnly);
});

test("a deleted run shows no input", async () => {
  const stores = temporaryStores();
  const run = await open(stores);
  await run.describe();
  await run.record([], [], { set: { status: "terminated", turn: 1, updatedAt: createdAt } });
  const { id } = await run.head();
  expect((await run.describe())?.inputExcerpt).toBe("What is new?");
  await stores.runs.erase(id);
  expect(await run.describe()).toEqual({ run: await run.head(), state: "terminated", agent: run.agent });
});
