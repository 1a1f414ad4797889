import { randomUUID } from "node:crypto";
import fc from "../support/properties.ts";
import type { Agent } from "../../src/accounts/account-types.ts";
import { setWebhook } from "../../src/accounts/webhooks.ts";
import { ServiceError } from "../../src/errors.ts";
import { tryStartWaiting } from "../../src/runs/admission.ts";
import { acceptInput, stopRun } from "../../src/runs/control/control-run.ts";
import { createRun } from "../../src/runs/begin/create-run.ts";
import { stamped } from "../../src/runs/events.ts";
import type { Runs, Stores, Workflow } from "../../src/runs/ports.ts";
import type { TurnMessage } from "../../src/runs/run-types.ts";
import { graceSeconds } from "../../src/workflow/policy.ts";
import { sweep } from "../../src/workflow/sweep.ts";
import { deliveryViolations } from "../support/delivery-rules.ts";

/** What a process does. It dies after `calls` calls of stores and workflow; undefined: it completes. */
export interface QuotaEvent {
  type: "create" | "finish" | "input" | "stop" | "sweep";
  /** Index of an agent, or of a run. */
  index: number;
  calls: number | undefined;
}

export const quotaEvent: fc.Arbitrary<QuotaEvent> = fc.record({
  type: fc.constantFrom("create" as const, "create", "create", "finish", "finish", "input", "stop", "sweep"),
  index: fc.nat({ max: 20 }),
  calls: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
});

class Died extends Error {}

/** Agents of one organization. The first two have their own `maxRunning`, and the organization has one for all three. */
const [agentLimits, organizationLimit] = [[1, 2, undefined], 3] as const;

/**
 * Runs processes that create, end, continue, stop and repair runs of three agents. The scheduler orders their calls, and
 * processes die between two calls. At the end, sweeps without deaths complete all runs. Resolves with the violations.
 */
export async function walkQuotas(stores: Stores, events: QuotaEvent[], scheduler: fc.Scheduler): Promise<string[]> {
  const wrong: string[] = [];
  const { accounts, runs } = stores;
  const organizationId = randomUUID();
  const agents = agentLimits.map((maxRunning) => ({ id: randomUUID(), maxRunning }));
  await accounts.createOrganization({
    id: organizationId,
    name: "O",
    model: { provider: "demo", enabled: true },
    maxRunning: organizationLimit,
  });
  for (const { id, maxRunning } of agents) {
    const limits = { steps: 1, tokens: 1, seconds: 1 };
    const agent: Agent = { id, organizationId, name: "A", instructions: "", tools: [], limits, status: "active" };
    await accounts.createAgent(maxRunning === undefined ? agent : { ...agent, maxRunning });
    await setWebhook(accounts, id, { url: "https://example.com/hook", privateAddresses: false });
  }
  let now = 1_763_000_000_000;
  const created: string[] = [];
  const confirmed = new Set<string>();
  const executing = new Map<string, { turn: number; ended: "succeeded" | undefined }>();
  const workflow: Workflow = {
    async start(runId, turn) {
      if (!executing.has(`${runId} ${turn}`)) executing.set(`${runId} ${turn}`, { turn, ended: undefined });
    },
    async stop(runId, turn) {
      executing.set(`${runId} ${turn}`, { turn, ended: "succeeded" });
    },
  };
  const executions = {
    runningRuns: async () => {
      const running = [...executing].filter(([, { ended }]) => ended === undefined);
      return new Set(running.map(([name]) => name.split(" ")[0] ?? ""));
    },
    find: async ({ id: runId, turn }: { id: string; turn: number }) => executing.get(`${runId} ${turn}`),
  };

  /** Compares what is counted with the runs, and with the quotas. */
  async function check(after: string): Promise<void> {
    const [running, waiting] = [await runs.listRunning(), await runs.listWaiting()];
    const found = await Promise.all(running.map(async ({ id }) => (await runs.read(id))?.run));
    const ofAgent = (id: string): number => found.filter((run) => run?.quotaOf && run.agentId === id).length;
    for (const { id, maxRunning = Infinity } of agents) {
      const use = await runs.quotaUse({ agentId: id, organizationId });
      const counted = JSON.stringify([use.agent.running, use.agent.waiting, use.organization.running]);
      const actual = [ofAgent(id), waiting.filter(({ agentId }) => agentId === id).length, running.length];
      if (counted !== JSON.stringify(actual))
        wrong.push(`after ${after}: counted ${counted}, actually ${actual.join(" ")}`);
      if (ofAgent(id) > maxRunning) wrong.push(`after ${after}: ${ofAgent(id)} runs of an agent`);
    }
    if (running.length > organizationLimit) wrong.push(`after ${after}: ${running.length} runs`);
  }

  // One call at a time, so that what is compared belongs together.
  let last: Promise<unknown> = Promise.resolve();
  function oneAtATime<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  }

  /** The parts of a process that dies after `calls` calls. */
  function processOf(calls = Infinity) {
    let left = calls;
    const gate = <Part extends object>(part: Part, name: string): Part => {
      const methods = Object.entries(part).map(([method, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
        method,
        async (...args: unknown[]) => {
          await scheduler.schedule(Promise.resolve(), `${name}.${method}`);
          if (left-- <= 0) throw new Died(method);
          return oneAtATime(async () => {
            const value = await call(...args);
            if (method === "create" || method === "change") await check(method);
            return value;
          });
        },
      ]);
      return Object.fromEntries(methods) as Part;
    };
    const noted: Runs = {
      ...runs,
      create(run, ...more) {
        created.push(run.id);
        return runs.create(run, ...more);
      },
    };
    return { ...stores, runs: gate(noted, "runs"), workflow: gate(workflow, "workflow"), now: () => now++ };
  }

  async function happen({ type, index, calls }: QuotaEvent): Promise<void> {
    const deps = processOf(calls);
    const agentId = agents[index % agents.length]?.id ?? "";
    const runId = created[index % Math.max(created.length, 1)];
    if (type === "create") {
      const body = { name: "n", text: "x" };
      const principal = { agentId, organizationId };
      confirmed.add((await createRun({ ...deps, secretRefusal: () => undefined }, principal, body)).id);
    }
    if (type === "sweep") await sweep({ ...deps, executions });
    if (runId === undefined) return;
    if (type === "input") await acceptInput(deps, runId, "More.");
    if (type === "stop") await stopRun(deps, runId);
    if (type === "finish") await finish(deps, runId);
  }

  /** What a worker does at the end of a turn: only a turn with an execution has one. */
  async function finish(deps: ReturnType<typeof processOf>, runId: string, startsNext = true): Promise<void> {
    const state = await runs.load(runId);
    const { turn = 0, status, waiting, sequence = 0 } = state?.run ?? {};
    const execution = executing.get(`${runId} ${turn}`);
    if (status !== "running" || waiting || !execution || execution.ended) return;
    const [next] = state?.queue ?? [];
    const set = { status: next ? "running" : "finished", turn: next?.turn ?? turn, updatedAt: now++ } as const;
    const queue = next && { queue: { take: next.turn } };
    const expect = { status, turn, queued: state?.queue.length ?? 0 };
    const output: TurnMessage = { turn, role: "output_from_agent", text: "Done." };
    const messages = stamped([output], { sequence, at: set.updatedAt });
    const ended = await deps.runs.change({ runId, expect, set, messages, ...queue });
    if (!ended) return;
    if (next) executing.set(`${runId} ${next.turn}`, { turn: next.turn, ended: undefined });
    executing.set(`${runId} ${turn}`, { turn, ended: "succeeded" });
    if (!next && startsNext) await tryStartWaiting(deps, organizationId);
  }

  const attempt = async (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      const expected = error instanceof Died || error instanceof ServiceError || error instanceof AggregateError;
      if (!expected) wrong.push(`rejected: ${String(error)}`);
    });

  // Later events start later, and overlap with earlier ones.
  const happening = events.map(async (event, position) => {
    for (let n = 0; n < 3 * position; n++) await scheduler.schedule(Promise.resolve(), event.type);
    await attempt(happen(event));
  });
  await scheduler.waitFor(Promise.all(happening));

  // Afterwards only the sweep starts runs: it repeats what dead processes left, and gives the slots of ended turns away.
  const alive = { ...stores, workflow, now: () => now++ };
  for (let round = 0; round < events.length + 3; round++) {
    now += (graceSeconds + 1) * 1_000;
    await sweep({ ...alive, executions });
    for (const runId of new Set(created)) await finish(alive, runId, false);
    await check("a round");
  }
  for (const runId of new Set(created)) {
    const run = (await runs.read(runId))?.run;
    if (run) wrong.push(...(await deliveryViolations(stores, runId)));
    if (run?.status === "running") wrong.push(`a run is left ${run.waiting ? "waiting" : "running"}`);
    if (run?.status === "technical_error" && run.turn === 1 && confirmed.has(runId))
      wrong.push("an accepted run failed");
  }
  for (const { id } of agents) {
    const use = await runs.quotaUse({ agentId: id, organizationId });
    const left = [use.agent.running, use.agent.waiting, use.organization.running];
    if (left.some((count) => count !== 0)) wrong.push(`counts are left: ${left.join(" ")}`);
  }
  return wrong;
}
