import fc from "../support/properties.ts";
import type { RunStatus } from "../../src/runs/status.ts";
import { transitions } from "../../src/runs/status.ts";
import type { RunChange } from "../../src/runs/run-types.ts";
import type { Runs, Stores } from "../../src/runs/ports.ts";
import { ServiceError } from "../../src/errors.ts";
import { acceptInput, stopRun } from "../../src/runs/control/control-run.ts";
import { advance, type AdvanceDeps } from "../../src/workflow/advance.ts";
import { RetryLater } from "../../src/workflow/retry-later.ts";
import { deliveryViolations } from "../support/delivery-rules.ts";
import { violations } from "../support/event-rules.ts";
import { newRun, outputTo, putAgent, scriptedModel } from "../support/scripted-runs.ts";

/** An event during a run. `crash`: of one of two workers. `jump`: of the clock, in seconds. */
export type Event =
  | { type: "input"; text: string }
  | { type: "stop" }
  | { type: "crash"; worker: 0 | 1 }
  | { type: "jump"; seconds: number };

export const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("input" as const), text: fc.string({ maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("stop" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("crash" as const), worker: fc.constantFrom(0 as const, 1 as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("jump" as const), seconds: fc.integer({ min: -300, max: 300 }) }),
  },
);

class Crashed extends Error {}

/**
 * Runs two workers on one run. The scheduler orders their calls of stores and model, and the events. At the end, a third
 * worker completes the run without events. Resolves with the violations.
 */
export async function walk(stores: Stores, runId: string, events: Event[], scheduler: fc.Scheduler): Promise<string[]> {
  const wrong: string[] = [];
  let now = 1_763_000_000_000;
  const clock = () => now++;
  const steps = 3;
  const { model, calls } = scriptedModel(steps);
  const watched = watch(stores.runs, wrong);
  await putAgent(stores);
  await newRun(stores, runId, clock(), "first");
  const accepted = ["first"];
  let stopped: unknown;
  let claims = 0;

  /** The stores of one worker. Calls wait for their place in the schedule; those of a crashed worker never complete. */
  function workerOf(worker: { crashed: boolean }): AdvanceDeps {
    const step = async <Value>(name: string, work: () => Promise<Value>): Promise<Value> => {
      await scheduler.schedule(Promise.resolve(), name);
      if (worker.crashed) throw new Crashed(name);
      const value = await work();
      await scheduler.schedule(Promise.resolve(), `${name} answered`);
      if (worker.crashed) throw new Crashed(name);
      return value;
    };
    const gated = Object.fromEntries(
      Object.entries(watched).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
        name,
        (...args: unknown[]) => step(name, () => method(...args)),
      ]),
    ) as unknown as Runs;
    const claim: Runs["claim"] = async (wish) => {
      const claimed = await gated.claim(wish);
      if (claimed) claims++;
      return claimed;
    };
    return {
      ...stores,
      runs: { ...gated, claim },
      now: clock,
      secretOf: async () => undefined,
      openModel: async () => ({ model: (request) => step("model", () => model(request)), name: "m", provider: "p" }),
    };
  }

  /** Drives a run as the state machine does: another invocation follows a crash. */
  async function drive(worker: { crashed: boolean }, rounds: number): Promise<boolean> {
    for (let round = 0; round < rounds; round++) {
      worker.crashed = false;
      try {
        const turn = { runId, turn: 1 };
        const { done } = await advance(workerOf(worker), turn, {
          signal: new AbortController().signal,
          deadline: Infinity,
          leaseWait: 0,
        });
        if (done) return true;
      } catch (error) {
        if (!worker.crashed && !(error instanceof RetryLater)) wrong.push(`advance rejected: ${String(error)}`);
      }
      now += 5_000;
    }
    return false;
  }

  const workers = [{ crashed: false }, { crashed: false }];
  const workflow = { start: async () => {}, stop: async () => {} };
  const happen = async (what: Event): Promise<void> => {
    if (what.type === "jump") now += what.seconds * 1_000;
    if (what.type === "crash") (workers[what.worker] ?? { crashed: false }).crashed = true;
    try {
      if (what.type === "input") {
        const text = `${accepted.length} ${what.text}`;
        accepted.push(text);
        await acceptInput({ ...stores, runs: watched, workflow, now: clock }, runId, text).catch((error: unknown) => {
          accepted.splice(accepted.indexOf(text), 1);
          throw error;
        });
      }
      if (what.type === "stop") {
        await stopRun({ ...stores, runs: watched, workflow, now: clock }, runId);
        stopped ??= await stores.runs.load(runId);
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) wrong.push(`${what.type} rejected: ${String(error)}`);
    }
  };

  const driven = Promise.all([
    drive(workers[0] ?? { crashed: false }, 15),
    drive(workers[1] ?? { crashed: false }, 15),
  ]);
  const happening = (async () => {
    for (const what of events) {
      await scheduler.schedule(Promise.resolve(), what.type);
      await happen(what);
      wrong.push(...(await violations(stores.runs, runId)), ...(await deliveryViolations(stores, runId)));
    }
  })();
  await scheduler.waitFor(Promise.all([driven, happening]));
  now += 100_000;
  const end = drive({ crashed: false }, 60);
  await scheduler.waitFor(end);

  const state = await stores.runs.load(runId);
  if (!state) return ["the run is gone"];
  wrong.push(...(await violations(stores.runs, runId)), ...(await deliveryViolations(stores, runId)));
  const { run, transcript } = state;
  if (stopped !== undefined) {
    if (run.status !== "terminated") wrong.push(`stopped, and then ${run.status}`);
    if (state.queue.length > 0) wrong.push("inputs wait at a stopped run");
    if (JSON.stringify(stopped) !== JSON.stringify(state)) wrong.push("something changed after the stop");
  } else {
    if (run.status !== "finished") wrong.push(`the run ended as ${run.status}`);
    const expected = accepted.flatMap((text) => [text, outputTo(text)]);
    const actual = transcript.map(({ text }) => text);
    if (JSON.stringify(actual) !== JSON.stringify(expected)) wrong.push(`transcript ${JSON.stringify(actual)}`);
    if (run.used?.steps !== accepted.length * (steps + 1)) wrong.push(`${run.used?.steps} steps are counted`);
  }
  const perCall = Map.groupBy(calls, (call) => call);
  const extra = [...perCall.values()].reduce((sum, made) => sum + made.length - 1, 0);
  // Each invocation starts with a claim and repeats at most the call that its predecessor was in.
  if (extra > claims) wrong.push(`${extra} model calls were made again in ${claims} invocations`);
  return wrong;
}

/**
 * Wraps a store and reports violations: a change that is not a transition of the lifecycle, a write with an old fencing
 * token, a claim of a valid lease of another owner.
 */
function watch(runs: Runs, wrong: string[]): Runs {
  const allowed = new Set(Object.values(transitions).map(({ from, to }) => `${from} ${to}`));
  let status: RunStatus = "running";
  let newest = 0;
  let lease: { owner: string; until: number } | undefined;
  return {
    ...runs,

    async claim(wish) {
      const { owner, now, until } = wish;
      const held = lease;
      const lives = held && held.owner !== owner && held.until > now && held.until < now + 2 * (until - now);
      const claimed = await runs.claim(wish);
      if (!claimed) return undefined;
      if (lives && lease === held) wrong.push("a lease that lives was taken");
      if (claimed.fencingToken > newest) lease = { owner, until }; // responses can arrive out of order
      newest = Math.max(newest, claimed.fencingToken);
      return claimed;
    },

    async release(held) {
      lease = undefined;
      await runs.release(held);
    },

    async change(change: RunChange) {
      const old = change.fencingToken !== undefined && change.fencingToken < newest;
      if (change.set) lease = undefined;
      const applied = await runs.change(change);
      if (!applied) return false;
      if (old) wrong.push(`a worker wrote whose lease had been taken over: ${JSON.stringify(change)}`);
      const ended = status === "terminated" || status === "technical_error";
      if (ended) wrong.push(`${status} was changed: ${JSON.stringify(change)}`);
      if (change.set) {
        if (!allowed.has(`${change.expect.status} ${change.set.status}`)) wrong.push(JSON.stringify(change.set));
        status = change.set.status;
      }
      return true;
    },
  };
}
