import { beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/accounts/agents/agents.ts";
import { createOrganization } from "../../../src/accounts/organizations.ts";
import { setWebhook } from "../../../src/accounts/webhooks.ts";
import type { Model } from "../../../src/agent/model.ts";
import { StoreUnavailable } from "../../../src/errors.ts";
import { noCompanions } from "../../../src/runs/erase/companions.ts";
import { acceptInput, deleteRun, stopRun } from "../../../src/runs/control/control-run.ts";
import { createRun, type CreateRunDeps } from "../../../src/runs/begin/create-run.ts";
import type { Stores } from "../../../src/runs/ports.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { fail } from "../../../src/workflow/fail.ts";
import { graceSeconds } from "../../../src/workflow/policy.ts";
import { endFailedExecution } from "../../../src/workflow/reconcile.ts";
import { sweep } from "../../../src/workflow/sweep.ts";
import { fastClock } from "../../support/fast-clock.ts";
import { platforms } from "../../support/platforms.ts";

// The delete of a run waits 3 s for its worker.
beforeAll(() => {
  const clock = fastClock();
  return () => clock[Symbol.dispose]();
});

const usage = { inputTokens: 1, outputTokens: 1 };
const answering: Model = async () => ({ answer: { text: "Done.", toolCalls: [], finishReason: "stop", usage } });
const refusing: Model = async () => ({
  failure: { category: "model_configuration", title: "Refused.", remedy: "Mend it.", retryable: false },
});

type Service = Awaited<ReturnType<typeof newService>>;

/** Every way in which a turn or a run ends, and the deliveries in the order of the list: newest first. */
const ways: [string, (service: Service) => Promise<unknown>, string[]][] = [
  ["its worker finishes it", async (s) => s.work(await s.create()), ["run.finished 1 finished"]],
  [
    "its worker finishes it and starts the next one",
    async (s) => {
      const id = await s.create();
      await acceptInput(s.deps, id, "More.");
      await s.work(id);
    },
    ["run.finished 2 finished", "run.finished 1 running"],
  ],
  ["its worker fails", async (s) => s.work(await s.create(), refusing), ["run.failed 1 technical_error"]],
  [
    "the workflow records its failure",
    async (s) => fail(s.deps, { runId: await s.create(), turn: 1 }, { error: "Crash", cause: "" }),
    ["run.failed 1 technical_error"],
  ],
  [
    "the workflow records its failure in the turn after it",
    async (s) => {
      const id = await s.create();
      await acceptInput(s.deps, id, "More.");
      await s.work(id, answering, 1);
      await fail(s.deps, { runId: id, turn: 1 }, { error: "Crash", cause: "" });
    },
    ["run.failed 2 technical_error", "run.finished 1 running"],
  ],
  [
    "its execution failed",
    async (s) => {
      const input = JSON.stringify({ runId: await s.create(), turn: 1 });
      await endFailedExecution(s.deps, { detail: { name: "n", status: "TIMED_OUT", input } });
    },
    ["run.failed 1 technical_error"],
  ],
  [
    "the sweep finds it without an execution",
    async (s) => {
      await s.create();
      s.clock.now += (graceSeconds + 1) * 1_000;
      await sweep({ ...s.deps, executions: { runningRuns: async () => new Set(), find: async () => undefined } });
    },
    ["run.failed 1 technical_error"],
  ],
  [
    "its create cannot start it",
    async (s) => {
      s.deps.workflow.start = () => Promise.reject(new StoreUnavailable("down"));
      await expect(s.create()).rejects.toThrow("down");
    },
    ["run.failed 1 technical_error"],
  ],
  [
    "the response of its create is lost",
    async (s) => {
      const { runs } = s.stores;
      const create: typeof runs.create = async (...args) => {
        await runs.create(...args);
        throw new StoreUnavailable("timed out");
      };
      s.deps.runs = { ...runs, create };
      await expect(s.create()).rejects.toThrow("timed out");
    },
    ["run.failed 1 technical_error"],
  ],
  [
    "its input cannot be started",
    async (s) => {
      const id = await s.create();
      await s.work(id);
      s.deps.workflow.start = () => Promise.reject(new StoreUnavailable("down"));
      await expect(acceptInput(s.deps, id, "More.")).rejects.toThrow("down");
    },
    ["run.failed 2 technical_error", "run.finished 1 finished"],
  ],
  ["it is stopped", async (s) => stopTwice(s, await s.create()), ["run.terminated 1 terminated"]],
  [
    "it is stopped while it waits for a slot",
    async (s) => {
      await s.create();
      await stopTwice(s, await s.create());
    },
    ["run.terminated 1 terminated"],
  ],
  [
    "its finished run is stopped, and then deleted",
    async (s) => {
      const id = await s.create();
      await s.work(id);
      await stopTwice(s, id);
      await deleteRun({ ...s.deps, companions: noCompanions }, id);
    },
    ["run.terminated 1 terminated", "run.finished 1 finished"],
  ],
  [
    "it is deleted",
    async (s) => deleteRun({ ...s.deps, companions: noCompanions }, await s.create()),
    ["run.terminated 1 terminated"],
  ],
  [
    "its failed run is deleted",
    async (s) => {
      const id = await s.create();
      await s.work(id, refusing);
      await deleteRun({ ...s.deps, companions: noCompanions }, id);
    },
    ["run.terminated 1 terminated", "run.failed 1 technical_error"],
  ],
];

describe.each(platforms)("on %s, a turn is reported once when", (_, open) => {
  test.each(ways)("%s", async (_way, end, expected) => {
    const service = await newService(open());
    await end(service);
    expect(await service.reported()).toEqual(expected);
  });

  test("its run has no webhook: it is not reported", async () => {
    const service = await newService(open(), false);
    await service.work(await service.create());
    expect(await service.reported()).toEqual([]);
  });
});

async function stopTwice({ deps }: Service, id: string): Promise<void> {
  await stopRun(deps, id);
  await stopRun(deps, id);
}

/** An agent with a webhook, whose runs may have one turn in progress. */
async function newService(stores: Stores, hasWebhook = true) {
  const { accounts } = stores;
  const model = { provider: "demo", enabled: true } as const;
  const { id: organizationId } = await createOrganization(accounts, { name: "O", model });
  const limits = { steps: 1, tokens: 1_000, seconds: 100 };
  const definition = { name: "A", instructions: "Answer.", tools: [], limits, maxRunning: 1 };
  const { id: agentId } = await createAgent(accounts, organizationId, definition);
  if (hasWebhook) await setWebhook(accounts, agentId, { url: "https://example.com/hook", privateAddresses: false });
  const clock = { now: 1_763_000_000_000 };
  const workflow: CreateRunDeps["workflow"] = { start: async () => {}, stop: async () => {} };
  const deps = { ...stores, workflow, now: () => clock.now++, secretRefusal: () => undefined };

  return {
    stores,
    deps,
    clock,
    create: async () => (await createRun(deps, { agentId, organizationId }, { name: "R", text: "Go." })).id,
    /** Advances the turn `turns` times, or until all turns have ended. */
    async work(runId: string, works: Model = answering, turns = 2) {
      const openModel = async () => ({ model: works, name: "m", provider: "p" });
      const worker = { ...deps, secretOf: async () => undefined, openModel };
      const budget = { signal: new AbortController().signal, deadline: Infinity, leaseWait: 0 };
      for (let turn = 1; turn <= turns; turn++) await advance(worker, { runId, turn }, budget);
    },
    reported: async () => {
      const { deliveries } = await stores.deliveries.list({ agentId, limit: 100 });
      return deliveries.map(({ type, turn, status }) => `${type} ${turn} ${status}`);
    },
  };
}
