import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Quota } from "../../../src/accounts/account-types.ts";
import { issueKey } from "../../../src/accounts/keys.ts";
import { createAgent, updateAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization, setQuota } from "../../../src/accounts/organizations.ts";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import { createHandler } from "../../../src/v1/create.ts";
import { startAllWaiting, startWaiting } from "../../../src/runs/admission.ts";
import { noCompanions } from "../../../src/runs/erase/companions.ts";
import { acceptInput, deleteRun, stopRun } from "../../../src/runs/control/control-run.ts";
import { maxWaiting } from "../../../src/runs/quotas.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import type { Runs, Stores } from "../../../src/runs/ports.ts";
import type { Slot } from "../../../src/runs/run-types.ts";
import { graceSeconds } from "../../../src/workflow/policy.ts";
import { sweep } from "../../../src/workflow/sweep.ts";
import { newRun } from "../../platform/run-fixtures.ts";
import { temporaryStores } from "../../support/temporary-stores.ts";
import { platforms } from "../../support/platforms.ts";

afterEach(() => vi.useRealTimers());

describe.each(platforms)("quotas on %s", (_, open) => {
  test("a run over maxRunning is accepted, reports running and starts when another ends", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const [first, second, third] = [await service.create(), await service.create(), await service.create()];
    expect(service.started).toEqual([`${first.id} 1`]);
    expect([second.status, await service.stores.runs.status(second.id)]).toEqual([201, "running"]);
    await service.finish(first.id);
    expect(await service.startNext()).toBe(1);
    await service.finish(second.id);
    expect(await service.startNext()).toBe(1);
    expect(service.started).toEqual([`${first.id} 1`, `${second.id} 1`, `${third.id} 1`]);
    expect(await service.startNext()).toBe(0);
  });

  test("creates and inputs are 429 until midnight once the dollars of the day are spent", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 22, 23, 59, 0) });
    const service = await newService(open(), { maxRunning: 1, maxDollarsPerDay: 1 });
    const [run, other] = [await service.create(), await service.create()];
    await service.spend(run.id, 0.75);
    await service.spend(run.id, 0.25);
    const rejected = await service.create();
    expect([rejected.status, rejected.retryAfter]).toEqual([429, "60"]);
    expect(rejected.detail).toContain("the agent has reached its limit of 1 US dollars per day (maxDollarsPerDay)");
    await expect(acceptInput(service.deps, run.id, "More.")).rejects.toThrow("has reached its limit of 1 US dollars");
    await service.finish(run.id);
    expect(await service.startNext()).toBe(0); // a waiting run would spend more
    vi.setSystemTime(Date.UTC(2026, 10, 23, 0, 0, 1));
    expect((await service.create()).status).toBe(201); // starts the older run first
    expect(service.started.at(-1)).toBe(`${other.id} 1`);
  });

  test("turns in progress reserve what a turn costs, and further runs wait for what is left", async () => {
    const service = await newService(open(), priced);
    const runs: { id: string }[] = [];
    for (let n = 0; n < 10; n++) runs.push(await service.create());
    expect(service.started).toHaveLength(3); // a model call costs up to 1.25 of 3 dollars, and no turn has ended
    await service.complete(runs[0]?.id ?? "", 0.5);
    expect(await service.startNext()).toBe(0); // 2.5 dollars are left, which two turns have reserved
    await service.complete(runs[1]?.id ?? "", 0.5);
    expect(await service.startNext()).toBe(1);
    await service.complete(runs[2]?.id ?? "", 1.5);
    expect(await service.startNext()).toBe(0); // 0.5 dollars are left, and one turn is in progress
    await service.complete(runs[3]?.id ?? "", 0.25);
    expect(await service.startNext()).toBe(1);
    await service.complete(runs[4]?.id ?? "", 1.25);
    expect(await service.startNext()).toBe(0);
    expect(await service.use()).toMatchObject({ running: 0, waiting: 5, dollars: 4, turnDollars: 0.8 });
    expect((await service.create()).status).toBe(429);
  });

  test("a turn that costs more than a model call reserves the mean of the turns that ended", async () => {
    const service = await newService(open(), { ...priced, maxDollarsPerDay: 12 });
    await service.complete((await service.create()).id, 6);
    await Promise.all([service.create(), service.create(), service.create()]);
    expect(service.started).toHaveLength(2); // 6 dollars are left, and a turn costs 6
  });

  test("concurrent creates cost at most one turn more than the day's dollars", async () => {
    const service = await newService(open(), { ...priced, maxDollarsPerDay: 2.5 });
    const runs = await Promise.all(Array.from({ length: 10 }, () => service.create()));
    const waiting = runs.filter(({ id, status }) => status === 201 && !service.started.includes(`${id} 1`));
    expect(service.started).toHaveLength(2);
    await Promise.all(service.started.map((each) => service.complete(each.split(" ")[0] ?? "", 1.25)));
    expect(await service.startNext()).toBe(0);
    expect(await service.use()).toMatchObject({ running: 0, waiting: waiting.length, dollars: 2.5 });
  });

  test("the turns of an organization's agents reserve its dollars together", async () => {
    const stores = open();
    const { maxDollarsPerDay, ...agent } = priced;
    const service = await newService(stores, agent, { maxDollarsPerDay });
    const sibling = await newService(stores, agent, { maxDollarsPerDay }, service.organizationId);
    for (const each of [service, sibling, service, sibling, service]) await each.create();
    expect([service.started.length, sibling.started.length]).toEqual([2, 1]);
    await service.complete(service.started[0]?.split(" ")[0] ?? "", 0.25);
    expect(await service.startNext()).toBe(1);
  });

  test("the quota of an organization covers its agents, and other organizations are not affected", async () => {
    const stores = open();
    const service = await newService(stores, {}, { maxRunning: 1 });
    const sibling = await newService(stores, {}, { maxRunning: 1 }, service.organizationId);
    const stranger = await newService(stores, {});
    const [first] = [await service.create(), await sibling.create(), await stranger.create()];
    expect([service.started.length, sibling.started.length, stranger.started.length]).toEqual([1, 0, 1]);
    await service.finish(first.id);
    expect(await service.startNext()).toBe(1);
  });

  test("the input of an idle run waits for a slot, and a waiting run can be stopped and deleted", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const first = await service.create();
    await service.finish(first.id);
    const second = await service.create();
    expect(await acceptInput(service.deps, first.id, "Again.")).toMatchObject({
      status: "running",
      waiting: true,
      sequence: 2,
    });
    expect(await acceptInput(service.deps, first.id, "And again.")).toMatchObject({ queued: 1 });
    const third = await service.create();
    await stopRun(service.deps, first.id);
    await service.finish(second.id);
    expect(await service.startNext()).toBe(1);
    expect(service.started.at(-1)).toBe(`${third.id} 1`);
    const fourth = await service.create();
    await deleteRun({ ...service.deps, companions: noCompanions }, fourth.id);
    expect(await service.stores.runs.listWaiting(service.organizationId)).toEqual([]);
    await stopRun(service.deps, third.id);
    expect(await service.use()).toMatchObject({ running: 0, waiting: 0 });
  });

  test("a waiting run whose create lost its response does not start", async () => {
    const stores = open();
    let lost = "";
    const runs: Runs = {
      ...stores.runs,
      async create(run, ...more) {
        if (lost !== "next") return stores.runs.create(run, ...more);
        lost = run.id;
        expect(await stores.runs.create(run, ...more)).toBe("created");
        throw new StoreUnavailable("timed out");
      },
    };
    const service = await newService({ ...stores, runs }, { maxRunning: 1 });
    const first = await service.create();
    lost = "next";
    expect((await service.create()).status).toBe(500);
    expect(await stores.runs.status(lost)).toBe("technical_error");
    await service.finish(first.id);
    expect(await service.startNext()).toBe(0);
    expect(await service.use()).toMatchObject({ running: 0, waiting: 0 });
  });

  test("a waiting run that starts while it is stopped frees its slot for the next", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const [first, second, third] = [await service.create(), await service.create(), await service.create()];
    let starts = true;
    const runs: Runs = {
      ...service.stores.runs,
      async head(id) {
        const found = await service.stores.runs.head(id);
        if (starts) {
          starts = false;
          await service.finish(first.id);
          expect(await service.startNext()).toBe(1);
        }
        return found;
      },
    };
    await stopRun({ ...service.deps, runs }, second.id);
    expect(service.started).toEqual([`${first.id} 1`, `${second.id} 1`, `${third.id} 1`]);
  });

  test("the sweep keeps waiting runs, starts those that get a slot, and repeats a start that failed", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const [first, second] = [await service.create(), await service.create()];
    const later = {
      ...service.deps,
      executions: service.executions,
      now: () => Date.now() + (graceSeconds + 1) * 1_000,
    };
    expect(await sweep(later)).toEqual({ running: 1, ended: 0, waiting: 1 });
    await service.finish(first.id); // and whatever was to start the next run fails
    service.failStarts = true;
    await expect(sweep(later)).rejects.toThrow("1 runs could not be checked or started");
    expect(await service.use()).toMatchObject({ running: 1, waiting: 0 }); // it has its slot
    service.failStarts = false;
    later.now = () => Date.now() + 3 * (graceSeconds + 1) * 1_000;
    expect(await sweep(later)).toEqual({ running: 1, ended: 0, waiting: 0 });
    expect(service.started.at(-1)).toBe(`${second.id} 1`);
  });

  test("an error of one waiting run does not keep younger ones from starting", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const sibling = await newService(service.stores, { maxRunning: 1 }, {}, service.organizationId);
    const running = [await service.create(), await sibling.create()];
    const [second, third] = [await service.create(), await sibling.create()];
    await service.finish(running[0]?.id ?? "");
    await service.finish(running[1]?.id ?? "");
    const started: string[] = [];
    const workflow = {
      ...service.deps.workflow,
      async start(runId: string) {
        if (runId === second.id) throw new Error("Step Functions is away");
        started.push(runId);
      },
    };
    const result = await startWaiting({ ...service.deps, workflow }, service.organizationId);
    expect([result.started, result.errors.length, started]).toEqual([1, 1, [third.id]]);
  });

  test("no younger run of an agent starts before an older one that could not take its slot", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const first = await service.create();
    const [second] = [await service.create(), await service.create()];
    await service.finish(first.id);
    const { runs } = service.stores;
    const change: Runs["change"] = async (each) => {
      if (each.runId === second.id) throw new StoreUnavailable("too many transactions conflict");
      return runs.change(each);
    };
    const result = await startWaiting({ ...service.deps, runs: { ...runs, change } }, service.organizationId);
    expect([result.started, result.errors.length]).toEqual([0, 1]);
    expect(await service.startNext()).toBe(1);
    expect(service.started.at(-1)).toBe(`${second.id} 1`);
  });

  test("waiting runs that are not reached in time continue to wait", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const [first] = [await service.create(), await service.create()];
    await service.finish(first.id);
    expect(await startAllWaiting(service.deps, Date.now() - 1)).toEqual({ started: 0, waiting: 1, errors: [] });
    expect(await startAllWaiting(service.deps)).toEqual({ started: 1, waiting: 0, errors: [] });
  });

  test("an input is 429 when others take each slot first", async () => {
    const service = await newService(open(), { maxRunning: 1 });
    const first = await service.create();
    await service.finish(first.id);
    const runs: Runs = { ...service.stores.runs, change: async () => false };
    await expect(acceptInput({ ...service.deps, runs }, first.id, "Again.")).rejects.toThrow("start at the same time");
  });

  test("waiting runs start when the quota is raised or removed", async () => {
    const stores = open();
    const service = await newService(stores, {}, { maxRunning: 1 });
    for (let n = 0; n < 4; n++) await service.create();
    await setQuota(stores.accounts, service.organizationId, { maxRunning: 2 });
    expect(await service.startNext()).toBe(1);
    await setQuota(stores.accounts, service.organizationId, { maxRunning: null });
    expect(await service.startNext()).toBe(2);
    for (const run of service.started) await service.finish(run.split(" ")[0] ?? "");
    expect(await stores.runs.quotaUse(service)).toMatchObject({ agent: { running: 0 }, organization: { running: 0 } });
  });

  test("a lowered quota lets running runs continue", async () => {
    const stores = open();
    const service = await newService(stores, {}, { maxRunning: 3 });
    const runs = [await service.create(), await service.create(), await service.create(), await service.create()];
    await setQuota(stores.accounts, service.organizationId, { maxRunning: 1 });
    for (const run of runs.slice(0, 2)) {
      await service.finish(run.id);
      expect(await service.startNext()).toBe(0);
    }
    await service.finish(runs[2]?.id ?? "");
    expect(await service.startNext()).toBe(1);
  });
});

test("a create is 429 with Retry-After while maxWaiting runs wait", async () => {
  const service = await newService(temporaryStores(), { maxRunning: 1 });
  await service.create();
  const { agentId, organizationId, stores } = service;
  const quotas = { scope: "agent", agent: { maxRunning: 1 }, organization: {} } as const;
  const waiting = Array.from({ length: maxWaiting }, () => newRun({ agentId, organizationId, sequence: 0 }));
  const slot: Slot = { agentId, organizationId, quotas, blockedBy: "agent" };
  await Promise.all(waiting.map((run) => stores.runs.create(run, [], { slot })));
  const rejected = await service.create();
  expect([rejected.status, rejected.retryAfter]).toEqual([429, "30"]);
  expect(rejected.detail).toBe(
    "1000 runs of the agent wait to start, and no more are accepted; the agent may run 1 at a time (maxRunning)",
  );
});

test("an organization's maxDollarsPerDay requires prices of its agents", async () => {
  const { accounts, organizationId, agentId } = await newService(temporaryStores(), {}).then(
    ({ stores, ...service }) => ({
      ...service,
      accounts: stores.accounts,
    }),
  );
  await expect(setQuota(accounts, organizationId, { maxDollarsPerDay: 5 })).rejects.toThrow(
    `maxDollarsPerDay requires prices in the files of all agents; 1 have none: ${agentId}`,
  );
});

test("an update of an agent cannot remove the prices that its organization's maxDollarsPerDay requires", async () => {
  const { accounts } = temporaryStores();
  const { id } = await createOrganization(accounts, { name: "O" });
  const definition = { name: "A", instructions: "", tools: [], limits: { steps: 1, tokens: 1, seconds: 1 } };
  const priced = { ...definition, prices: { input: 1, output: 1 } };
  const agent = await createAgent(accounts, id, priced);
  await setQuota(accounts, id, { maxDollarsPerDay: 5 });
  await expect(updateAgent(accounts, agent.id, definition)).rejects.toThrow("prices is missing");
  expect((await accounts.findAgent(agent.id))?.prices).toEqual(priced.prices);
});

/** A model call costs up to 1.25 dollars: written to the cache, 1,000 tokens of context cost 1.25 × the price. */
const priced = { maxDollarsPerDay: 3, contextTokens: 1_000, prices: { input: 1_000, output: 1_000 } };

/** An agent with its handler, and a workflow that records what it starts. */
async function newService(
  stores: Stores,
  quota: Quota & Partial<typeof priced>,
  shared: Quota = {},
  id: string = randomUUID(),
) {
  const { accounts, runs } = stores;
  const agentId = randomUUID();
  const organization = { id, name: "O", model: { provider: "demo", enabled: true } as const, ...shared };
  if (!(await accounts.findOrganization(id))) await accounts.createOrganization(organization);
  const limits = { steps: 1, tokens: 1, seconds: 1 };
  const agent = { id: agentId, organizationId: id, name: "A", instructions: "", tools: [], limits, ...quota };
  await accounts.createAgent({ ...agent, status: "active" });
  const { key } = await issueKey(accounts, agent);
  const started: string[] = [];
  const service = {
    stores,
    agentId,
    organizationId: id,
    started,
    failStarts: false,
    executions: {
      runningRuns: async () => new Set(started.map((each) => each.split(" ")[0] ?? "")),
      find: async ({ id: runId, turn }: { id: string; turn: number }) => {
        return started.includes(`${runId} ${turn}`) ? { turn, ended: undefined } : undefined;
      },
    },
    deps: {
      ...stores,
      workflow: {
        async start(runId: string, turn: number) {
          if (service.failStarts) throw new Error("Step Functions is away");
          started.push(`${runId} ${turn}`);
        },
        stop: async () => {},
      },
      now: Date.now,
    },

    async create() {
      const body = JSON.stringify({ name: "n", template_id: agentId, input_text: "Hello?" });
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const request = { id: "r", method: "POST", path: "/v1/agents", parameters: {}, headers };
      const handler = createHandler({ ...service.deps, secretRefusal: () => undefined });
      const response = await handler({
        ...request,
        query: new URLSearchParams(),
        parseBody: async (parse) => parse(body),
      });
      const { agent_id: runId = "", detail } = JSON.parse(String(response.body)) as Record<string, string>;
      return { id: runId, status: response.status, detail, retryAfter: response.headers["retry-after"] };
    },

    async finish(runId: string) {
      const found = await runs.read(runId);
      const { turn = 1 } = found?.run ?? {};
      const set = { status: "finished", turn, updatedAt: Date.now() } as const;
      expect(await runs.change({ runId, expect: { status: "running", turn }, set })).toBe(true);
    },

    /** Ends the first turn of a run with a model call that costs this much. */
    async complete(runId: string, dollars: number) {
      const set = { status: "finished", turn: 1, updatedAt: Date.now() } as const;
      const used = { ...noUsage, steps: 1, dollars };
      expect(await runs.change({ runId, expect: { status: "running", turn: 1 }, set, used })).toBe(true);
    },

    async spend(runId: string, dollars: number) {
      const used = { ...noUsage, steps: 1, dollars };
      expect(await runs.change({ runId, expect: { status: "running", turn: 1 }, used })).toBe(true);
    },

    startNext: async () => (await startWaiting(service.deps, id)).started,
    use: async () => (await runs.quotaUse({ agentId, organizationId: id })).agent,
  };
  return service;
}
