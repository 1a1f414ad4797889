import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import { runDescriber } from "../../../src/runs/read/describe-runs.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { agentActivity } from "../../../src/runs/read/reports/agent-activity.ts";
import { countRuns } from "../../../src/runs/read/reports/count-runs.ts";
import { type RunSearch, searchRuns } from "../../../src/runs/read/search/search-runs.ts";
import type { Run } from "../../../src/runs/run-types.ts";
import { usageByDay } from "../../../src/runs/read/reports/usage-by-day.ts";
import { newRun, numbered, input } from "../../platform/run-fixtures.ts";
import { fakeAwsStores } from "../../support/fake-aws/platform.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";

const limits = { steps: 5, tokens: 10_000, seconds: 60 };
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 20, 12);

/** Two organizations with an agent each, and three runs of the first. */
async function open(stores: Stores) {
  const [first, second] = ["one", "two"].map((name) => ({
    id: randomUUID(),
    organizationId: randomUUID(),
    name: `Agent ${name}`,
    instructions: "",
    tools: [],
    limits,
    status: "active" as const,
  }));
  if (!first || !second) throw new Error("two agents");
  for (const agent of [first, second]) {
    await stores.accounts.createOrganization({ id: agent.organizationId, name: agent.name });
    await stores.accounts.createAgent(agent);
  }
  const describer = runDescriber({ ...stores, now: () => noon });
  const deps = { ...stores, describer };
  async function add(fields: Partial<Run>, text = "Go."): Promise<Run> {
    const { id: agentId, organizationId } = first ?? second ?? { id: "", organizationId: "" };
    const run = newRun({ agentId, organizationId, createdAt: noon, updatedAt: noon, ...fields });
    const { messages } = numbered(0, { messages: run.turn === 0 ? [] : [input(1, text)] });
    await stores.runs.create(run, messages);
    return run;
  }
  const ids = async ({ agent, organization, ...search }: Partial<RunSearch> & RunSearch["of"]): Promise<string[]> => {
    const of = { ...(agent !== undefined && { agent }), ...(organization !== undefined && { organization }) };
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await searchRuns(deps, { of, limit: 10, ...search, ...(cursor !== undefined && { cursor }) });
      found.push(...page.runs.map(({ run }) => run.id));
      ({ cursor } = page);
    } while (cursor !== undefined);
    return found;
  };
  return { ...deps, first, second, add, ids };
}

describe.each<[string, () => Stores]>([
  ["on one machine", () => temporaryStores()],
  ["on AWS", () => fakeAwsStores()],
])("runs %s", (_, openStores) => {
  test("are found by agent, organization, status, time and text", async () => {
    const { first, second, add, ids } = await open(openStores());
    const idle = await add({ name: "Idle run", status: "finished", turn: 0, createdAt: noon - 3 });
    const running = await add({ name: "Invoices", createdAt: noon - 2 }, `${"x".repeat(150)} Überweisung`);
    const ended = await add({ name: "Old", status: "finished", createdAt: noon - day }, `${"y".repeat(300)} deep`);
    const other = await add({ agentId: second.id, organizationId: second.organizationId, name: "Other invoice" });
    const newest = [other, running, idle, ended].map(({ id }) => id);
    expect(await ids({})).toEqual(newest);
    expect(await ids({ limit: 1 })).toEqual(newest);
    expect(await ids({ agent: second.id })).toEqual([other.id]);
    expect(await ids({ organization: first.organizationId })).toEqual([running.id, idle.id, ended.id]);
    expect(await ids({ organization: first.organizationId, agent: second.id })).toEqual([]);
    expect(await ids({ statuses: ["running"] })).toEqual([other.id, running.id]);
    expect(await ids({ statuses: ["finished"] })).toEqual([ended.id]);
    expect(await ids({ statuses: ["waiting_for_input"] })).toEqual([idle.id]);
    expect(await ids({ statuses: ["waiting_for_input", "finished"] })).toEqual([idle.id, ended.id]);
    expect(await ids({ statuses: ["waiting_for_input", "running"] })).toEqual([other.id, running.id, idle.id]);
    expect(await ids({ statuses: ["terminated", "technical_error"] })).toEqual([]);
    expect(await ids({ since: noon - 2, until: noon })).toEqual([running.id]);
    expect(await ids({ text: "iNVOICE" })).toEqual([other.id, running.id]);
    expect(await ids({ text: "überweisung", limit: 1 })).toEqual([running.id]);
    expect(await ids({ text: "deep" })).toEqual([]); // not among the first words
    expect(await ids({ text: idle.id.slice(0, 8).toUpperCase() })).toEqual([idle.id]);
    expect(await ids({ text: idle.id.slice(-8) })).toEqual([idle.id]);
    expect(await ids({ text: "run", statuses: ["waiting_for_input"] })).toEqual([idle.id]);
    await expect(ids({ agent: randomUUID() })).rejects.toThrow("does not exist");
    await expect(ids({ cursor: "x" })).rejects.toThrow("is not valid");
  });

  test("are counted by status", async () => {
    const deps = await open(openStores());
    await deps.add({ status: "finished", turn: 0 });
    await deps.add({ status: "finished" });
    await deps.add({ status: "technical_error", createdAt: noon - day });
    for (let count = 0; count < 3; count++) await deps.add({ name: "Busy" });
    const counts = { running: 3, finished: 1, waiting_for_input: 1, technical_error: 1, terminated: 0 };
    expect(await countRuns(deps, { of: {} })).toMatchObject({ ...counts, complete: true });
    const today = await countRuns(deps, { of: {}, since: noon });
    expect(today).toMatchObject({ ...counts, technical_error: 0, complete: true });
    const busy = { finished: 0, waiting_for_input: 0, technical_error: 0 };
    expect(await countRuns(deps, { of: {}, text: "busy" })).toMatchObject({ ...counts, ...busy, complete: true });
  });

  test("are found by model, category of the failure, cost and duration, and sorted by what they used", async () => {
    const deps = await open(openStores());
    const { add, ids } = deps;
    const failure = { category: "limit", title: "Out of steps.", remedy: "", retryable: false } as const;
    const used = async (run: Run, change: object, model: string, tools: string[] = []): Promise<string> => {
      const { id, status, turn } = run;
      const whole = { runId: id, expect: { status, turn }, used: { ...noUsage, ...change }, model };
      await deps.runs.change({ ...whole, ...(tools.length > 0 && { tools }) });
      return id;
    };
    const failed = async (run: Run): Promise<Run> => {
      const set = { status: "technical_error", turn: 1, updatedAt: noon, failure } as const;
      await deps.runs.change({ runId: run.id, expect: { status: "running", turn: 1 }, set });
      return { ...run, ...set };
    };
    const labels = { team: "a" };
    const cheap = await used(
      await add({ status: "finished", createdAt: noon - 5, labels }),
      { steps: 9, inputTokens: 10, dollars: 0.01, milliseconds: 90_000 },
      "small",
    );
    const dear = await used(
      await add({ status: "finished", createdAt: noon - 4 }),
      { steps: 2, inputTokens: 500, dollars: 2, milliseconds: 5_000 },
      "large",
    );
    const unknown = await used(
      await failed(await add({ createdAt: noon - 3, labels })),
      { steps: 5, inputTokens: 90 },
      "small",
      ["b", "a"],
    );
    const working = await used(
      await add({ createdAt: noon - 2, updatedAt: noon - 60_000 }),
      { steps: 1, inputTokens: 1, dollars: 0.5 },
      "large",
    );
    const [all, now] = [[working, unknown, dear, cheap], noon];
    expect(await ids({ now })).toEqual(all);
    expect(await ids({ now, facts: { models: ["small"] } })).toEqual([unknown, cheap]);
    expect(await ids({ now, facts: { models: ["small", "large"] }, statuses: ["running"] })).toEqual([working]);
    expect(await ids({ now, facts: { categories: ["limit", "internal"] } })).toEqual([unknown]);
    await deps.runs.change({ runId: working, expect: { status: "running", turn: 1 }, tools: ["b"] });
    await deps.runs.change({ runId: working, expect: { status: "running", turn: 1 }, tools: ["c", "b"] });
    expect((await deps.runs.head(working))?.tools).toEqual(["b", "c"]);
    expect(await ids({ now, facts: { tools: ["b"] } })).toEqual([working, unknown]);
    expect(await ids({ now, facts: { tools: ["a", "d"] } })).toEqual([unknown]);
    expect(await ids({ now, facts: { minDollars: 0.5 } })).toEqual([working, dear]);
    expect(await ids({ now, facts: { maxDollars: 0.5 } })).toEqual([working, cheap]);
    expect(await ids({ now, facts: { minSeconds: 60 } })).toEqual([working, cheap]);
    expect(await ids({ now, facts: { minSeconds: 1, maxSeconds: 60 } })).toEqual([working, dear]);
    const sorted = (order: RunSearch["order"] & string, limit = 3) => ids({ now, order, limit });
    expect(await sorted("dollars")).toEqual([dear, working, cheap, unknown]);
    expect(await sorted("tokens", 1)).toEqual([dear, unknown, cheap, working]);
    expect(await sorted("duration")).toEqual([cheap, working, dear, unknown]);
    expect(await sorted("steps")).toEqual([cheap, unknown, dear, working]);
    const cursor = (await searchRuns(deps, { of: {}, now, limit: 1 })).cursor ?? "";
    await expect(searchRuns(deps, { of: {}, now, limit: 1, order: "tokens", cursor })).rejects.toThrow(
      "in another order",
    );

    // Each count is among the runs that pass all other conditions.
    const counts = await countRuns(deps, { of: {}, now, facts: { models: ["small"], minSeconds: 1 } });
    expect(counts).toMatchObject({
      finished: 1,
      technical_error: 0,
      models: [
        { value: "large", count: 2 },
        { value: "small", count: 1 },
      ],
      categories: [],
      labels: [{ value: "team=a", count: 1 }],
      runs: 1,
      dollars: 0.01,
      tokens: 10,
      medianMilliseconds: 90_000,
    });
    const of = { of: {}, now };
    expect((await countRuns(deps, { ...of, facts: { tools: ["c"] } })).tools).toEqual([
      { value: "b", count: 2 },
      { value: "a", count: 1 },
      { value: "c", count: 1 },
    ]);
    expect((await countRuns(deps, { ...of, statuses: ["technical_error"] })).categories).toEqual([
      { value: "limit", count: 1 },
    ]);
    expect((await countRuns(deps, { ...of, statuses: ["technical_error"] })).finished).toBe(2);
    expect((await countRuns(deps, { ...of, labels: [{ name: "team", value: "a" }] })).labels).toEqual([
      { value: "team=a", count: 2 },
    ]);
  });

  test("have their errors and the tokens without a known cost added up", async () => {
    const { accounts, runs, add } = await open(openStores());
    const priced = await add({ status: "technical_error" });
    const unpriced = await add({});
    const tokens = { ...noUsage, steps: 1, inputTokens: 30, outputTokens: 4 };
    for (const [{ id, status }, dollars] of [[priced, 0.5] as const, [unpriced, 0] as const]) {
      await runs.change({ runId: id, expect: { status, turn: 1 }, used: { ...tokens, dollars } });
    }
    const { rows } = await usageByDay({ accounts, runs, now: () => noon }, { of: {}, milliseconds: 1 });
    expect(rows).toMatchObject([{ runs: 2, technicalErrors: 1, unpricedTokens: 34, used: { dollars: 0.5 } }]);
  });

  test("are the activity of their agents: the last 24 hours in parts, and the newest run", async () => {
    const { accounts, runs, first, second, add } = await open(openStores());
    const ofSecond = { agentId: second.id, organizationId: second.organizationId };
    const hour = 3_600_000;
    await add({ createdAt: noon - 1 });
    await add({ createdAt: noon - 3 * hour, status: "technical_error" });
    await add({ createdAt: noon - day, status: "finished" });
    await add({ createdAt: noon - day - 1, status: "finished" });
    await add({ createdAt: noon - 3 * day, ...ofSecond });
    const deps = { accounts, runs, now: () => noon };
    const { agents, coversSince } = await agentActivity(deps, { of: {} });
    expect(coversSince).toBeUndefined();
    const none = Array.from({ length: 12 }, () => 0);
    expect(agents).toEqual([
      {
        agentId: first.id,
        runs: [1, ...none.slice(3), 1, 1],
        technicalErrors: 1,
        used: noUsage,
        unpricedTokens: 0,
        running: 1,
        lastRunAt: noon - 1,
      },
      expect.objectContaining({ agentId: second.id, runs: none, running: 1, lastRunAt: noon - 3 * day }),
    ]);
    const ofOne = await agentActivity(deps, { of: { organization: second.organizationId } });
    expect(ofOne.agents.map(({ agentId }) => agentId)).toEqual([second.id]);
  });

  test("have their usage added up by day, agent and model", async () => {
    const { accounts, runs, first, second, add } = await open(openStores());
    const deps = { accounts, runs, now: () => noon };
    const other = { agentId: second.id, organizationId: second.organizationId };
    const created = [
      await add({ createdAt: noon }),
      await add({ createdAt: noon + 60_000 }),
      await add({ createdAt: noon, ...other }),
      await add({ createdAt: noon - day }),
    ];
    for (const [index, { id }] of created.entries()) {
      const used = { ...noUsage, steps: 1, inputTokens: 10 + index, dollars: 0.5 };
      const model = index === 3 ? {} : { model: "m" };
      await runs.change({ runId: id, expect: { status: "running", turn: 1 }, used, ...model });
    }
    await add({ createdAt: noon }); // without usage
    const row = (index: number, dayOfRow: string, inputTokens: number, count = 1) => ({
      day: dayOfRow,
      agentId: created[index]?.agentId,
      organizationId: created[index]?.organizationId,
      ...(index !== 3 && { model: "m" }),
      runs: count,
      technicalErrors: 0,
      used: { ...noUsage, steps: count, inputTokens, dollars: count / 2 },
      unpricedTokens: 0,
    });
    const unused = { day: "2026-11-20", agentId: first.id, organizationId: first.organizationId };
    const { rows, complete } = await usageByDay(deps, { of: {}, milliseconds: 1 });
    expect(complete).toBe(true);
    expect(rows.at(-1)).toEqual(row(3, "2026-11-19", 13));
    expect(rows).toHaveLength(4);
    expect(rows).toEqual(
      expect.arrayContaining([
        row(0, "2026-11-20", 21, 2),
        row(2, "2026-11-20", 12),
        { ...unused, runs: 1, technicalErrors: 0, used: noUsage, unpricedTokens: 0 },
      ]),
    );
    const otherToday = { of: { agent: second.id }, since: noon, until: noon + 1 };
    const ofOther = await usageByDay(deps, { ...otherToday, milliseconds: 1 });
    expect(ofOther).toEqual({ rows: [row(2, "2026-11-20", 12)], complete: true });
    expect(await usageByDay(deps, { of: {}, milliseconds: 0 })).toEqual({ rows: [], complete: false });
  });
});

test("the activity of agents reads the last 24 hours and few older runs, and says how far", async () => {
  const { accounts, runs, add } = await open(temporaryStores());
  const deps = { accounts, runs, now: () => noon };
  await Promise.all(Array.from({ length: 700 }, (_, index) => add({ createdAt: noon - 2 * day - index })));
  let read = 0;
  const onRead = (count: number): void => void (read += count);
  const older = await agentActivity(deps, { of: {}, onRead });
  expect(older.coversSince).toBe(noon - 2 * day - 499);
  expect(read).toBeLessThan(550); // the store looks a few runs ahead
  await Promise.all(Array.from({ length: 5_100 }, (_, index) => add({ createdAt: noon - index })));
  read = 0;
  const recent = await agentActivity(deps, { of: {}, onRead });
  expect(recent.coversSince).toBe(noon - 4_999);
  expect(read).toBeLessThan(5_100);
  expect(recent.agents.flatMap((agent) => agent.runs).reduce((sum, count) => sum + count)).toBe(5_000);
});

test("a search reads a bounded number of runs, and continues with its cursor", async () => {
  const deps = await open(temporaryStores());
  await deps.add({ name: "Needle", createdAt: 1 });
  await Promise.all(Array.from({ length: 1_500 }, (_, index) => deps.add({ createdAt: noon + index })));
  const page = await searchRuns(deps, { of: {}, text: "needle", limit: 10 });
  expect(page).toEqual({ runs: [], cursor: expect.any(String) as string });
  const next = await searchRuns(deps, { of: {}, text: "needle", limit: 10, cursor: page.cursor ?? "" });
  expect(next.runs.map(({ run }) => run.name)).toEqual(["Needle"]);
  expect(next.cursor).toBeUndefined();
  expect(await countRuns(deps, { of: {} })).toMatchObject({ running: 1_000, complete: false });
});
