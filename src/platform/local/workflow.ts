import { fullJitter, pause } from "../../async/backoff.ts";
import { type Owners, type Scheduler, scheduler } from "../../async/scheduler.ts";
import { log } from "../../log.ts";
import { startAllWaiting, tryStartWaiting } from "../../runs/admission.ts";
import type { Workflow } from "../../runs/ports.ts";
import type { RunOwner } from "../../runs/run-types.ts";
import type { TurnId } from "../../runs/turn-writes.ts";
import { advance, type AdvanceDeps } from "../../workflow/advance.ts";
import { fail } from "../../workflow/fail.ts";
import { trialDriver } from "../../trials/trial-driver.ts";
import { trialTurns } from "../../trials/turn-kind.ts";
import type { Trials } from "../../trials/ports.ts";
import { retryPolicy } from "../../workflow/policy.ts";
import { asRetryLater, RetryLater } from "../../workflow/retry-later.ts";

/** The workflow of one machine. It runs in the process that serves HTTP. */
export interface Runner extends Workflow {
  /**
   * Starts work on every run with the status `running` and stops all other work. Waiting runs start if they get a slot.
   * Called at start, after outside changes, and from time to time: a new day frees the dollars of a quota.
   */
  resumeRuns(): Promise<void>;
  /** Resolves when all work has stopped. The runs stay `running` and continue with the next `resumeRuns`. */
  close(): Promise<void>;
}

/** For other processes on a server's data directory. The server watches the database and starts the work itself. */
export const externalWorkflow: Workflow = { start: async () => {}, stop: async () => {} };

interface RunnerDeps extends AdvanceDeps {
  startAllWaiting: () => Promise<unknown>;
}

interface Job {
  /** The current turn. */
  turn: number;
  /** How often turns of the run had waited for answers when the job began. */
  pauses: number;
  /** The turn that was in progress when the process started. Undefined: none was. */
  found: number | undefined;
  owner: Partial<RunOwner> | undefined;
  abort: AbortController;
  ended: Promise<void>;
}

/**
 * Concurrent turns; further turns wait, without limit: see `scheduler` for their order. This limits the load when 10,000 runs
 * resume after a restart.
 */
const maxConcurrentTurns = 1_000;

/** `killed`: the last process on this data directory was. */
export function startRunner(
  given: AdvanceDeps & { trials: Trials },
  { workers = maxConcurrentTurns, killed = false }: { workers?: number; killed?: boolean } = {},
): Runner {
  const places = scheduler({ places: workers });
  const jobs = runningJobs((payload, job) => drive(deps, payload, { job, places, killed }));
  let started = false;
  const deps: RunnerDeps = {
    ...given,
    onSlotFreed: (organizationId) => tryStartWaiting({ ...given, workflow: runner }, organizationId),
    startAllWaiting: () => startAllWaiting({ ...given, workflow: runner }),
    kindOf: trialTurns(given, (trialId) => trials.drive(trialId)),
  };

  const workflow: Workflow = {
    async start(runId, turn, run) {
      jobs.begin({ runId, turn }, run);
    },

    stop: async (runId, turn) => jobs.stop(runId, turn),
  };
  const trials = trialDriver({ ...given, workflow });
  const runner: Runner = {
    ...workflow,

    async resumeRuns() {
      const before = jobs.all(); // without jobs that begin during the query, which it may not return
      const running = await deps.runs.listRunning();
      const turns = new Map(running.map(({ id, turn }) => [id, turn]));
      for (const [runId, job] of before) if (turns.get(runId) !== job.turn) job.abort.abort();
      for (const run of running) jobs.begin({ runId: run.id, turn: run.turn }, run, !started);
      started = true;
      await deps.startAllWaiting();
      trials.driveAll(); // in the background: it can evaluate many cases
    },

    async close() {
      await jobs.close();
      await trials.settled();
    },
  };
  return runner;
}

/** The jobs of this process, one for each run. `work`: drives a turn to its end. */
function runningJobs(work: (payload: TurnId, job: Job) => Promise<void>) {
  const jobs = new Map<string, Job>();
  let closed = false;

  function begin(payload: TurnId, run: Parameters<Workflow["start"]>[2], found = false): void {
    const { runId, turn } = payload;
    const { pauses = 0 } = run ?? {};
    const current = jobs.get(runId);
    const isKnown = current && current.turn >= turn && current.pauses >= pauses;
    if (closed || (isKnown && !current.abort.signal.aborted)) return;
    current?.abort.abort();
    const abort = new AbortController();
    const job: Job = { turn, pauses, found: found ? turn : undefined, owner: run, abort, ended: Promise.resolve() };
    jobs.set(runId, job);
    job.ended = runJob(payload, job);
  }

  async function runJob(payload: TurnId, job: Job): Promise<void> {
    try {
      // After the responses of this tick: clients send their next requests while turns work.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      await work(payload, job);
    } finally {
      if (jobs.get(payload.runId) === job) jobs.delete(payload.runId);
    }
  }

  return {
    begin,
    all: () => [...jobs],
    stop(runId: string, turn: number): void {
      const job = jobs.get(runId);
      if (job?.turn === turn) job.abort.abort();
    },
    async close(): Promise<void> {
      closed = true;
      const left = [...jobs.values()];
      for (const { abort } of left) abort.abort();
      await Promise.all(left.map(({ ended }) => ended));
    },
  };
}

/** Does what the state machine does on AWS: advance until done, retry on `RetryLater`, call `fail` on other errors. */
async function drive(
  deps: RunnerDeps,
  payload: TurnId,
  { job, places, killed }: { job: Job; places: Scheduler; killed: boolean },
): Promise<void> {
  const { signal } = job.abort;
  const { runId } = payload;
  for (let attempt = 1; !signal.aborted;) {
    try {
      const restarted = job.turn === job.found;
      const work = () => advance(deps, { runId, turn: job.turn }, { signal, deadline: Infinity, restarted, killed });
      const owners = ownersOf(job) ?? (await readOwners(deps, runId, job));
      const { done, turn } = await places.run(owners, work, signal);
      if (done) return;
      job.turn = turn;
      attempt = 1;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RetryLater && error.progress) attempt = 1;
      if (!(error instanceof RetryLater) || attempt > retryPolicy.maxRetries) {
        return giveUp(deps, { runId, turn: job.turn }, error, signal);
      }
      const milliseconds = Math.round(Math.max(error.retryAfterMs ?? 0, delayOf(attempt)));
      log("error", "turn will be retried", { runId, turn: job.turn, attempt, milliseconds, reason: error.message });
      await pause(milliseconds, signal).catch(() => {}); // the loop checks the signal
      attempt++;
    }
  }
}

/** Whose the run is. Undefined: the job does not know it yet. */
function ownersOf({ owner = {} }: Job): Owners | undefined {
  const { organizationId, agentId } = owner;
  return organizationId === undefined || agentId === undefined ? undefined : [organizationId, agentId];
}

async function readOwners({ runs }: RunnerDeps, runId: string, job: Job): Promise<Owners> {
  try {
    job.owner = await runs.head(runId);
  } catch (error) {
    throw asRetryLater(error);
  }
  return ownersOf(job) ?? [];
}

/** Writes the final status. Retries until it succeeds or the process ends: the run would stay `running`. */
async function giveUp(deps: RunnerDeps, turn: TurnId, error: unknown, signal: AbortSignal): Promise<void> {
  const reason = error instanceof Error ? error : new Error(String(error));
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const cause = reason instanceof RetryLater ? reason.message : (reason.stack ?? reason.message);
      await fail(deps, turn, { error: reason.name, cause });
      await deps.startAllWaiting();
      return;
    } catch (failed) {
      log("error", "the failure of a turn could not be written; retrying", { ...turn, error: failed });
      await pause(delayOf(attempt), signal).catch(() => {});
    }
  }
}

/** Milliseconds. */
function delayOf(attempt: number): number {
  const { firstDelaySeconds, backoffRate, maxDelaySeconds } = retryPolicy;
  return fullJitter(attempt, { first: firstDelaySeconds * 1_000, max: maxDelaySeconds * 1_000, rate: backoffRate });
}
