import { fullJitter, pause } from "../../async/backoff.ts";
import { type Semaphore, semaphore } from "../../async/semaphore.ts";
import { log } from "../../log.ts";
import type { Workflow } from "../../runs/ports.ts";
import type { TurnId } from "../../runs/turn-writes.ts";
import { advance, type AdvanceDeps } from "../../workflow/advance.ts";
import { fail } from "../../workflow/fail.ts";
import { retryPolicy } from "../../workflow/policy.ts";
import { RetryLater } from "../../workflow/retry-later.ts";

/** The workflow of one machine. It lives in the process that serves HTTP. */
export interface Runner extends Workflow {
  /** Works on every run that is `running`, and drops the work on every other: at start, and after outside changes. */
  reconcile(): Promise<void>;
  /** Stops all work, resolving when none is left; the runs stay `running` and go on with the next `reconcile`. */
  close(): Promise<void>;
}

/** For a process beside the server, on the same data: the server notices the change by itself. */
export const externalWorkflow: Workflow = { start: async () => {}, stop: async () => {} };

interface Job {
  /** The one it has come to. */
  turn: number;
  abort: AbortController;
  ended: Promise<void>;
}

/** Turns worked on at the same time; more wait, in order. 10,000 runs that go on after a restart are no flood then. */
const maxWorkedOn = 1_000;

export function startRunner(deps: AdvanceDeps, { workers = maxWorkedOn }: { workers?: number } = {}): Runner {
  const jobs = new Map<string, Job>();
  const places = semaphore(workers);
  let closed = false;

  function begin(payload: TurnId): void {
    const { runId, turn } = payload;
    const current = jobs.get(runId);
    if (closed || (current && current.turn >= turn && !current.abort.signal.aborted)) return;
    current?.abort.abort();
    const abort = new AbortController();
    const job: Job = { turn, abort, ended: Promise.resolve() };
    jobs.set(runId, job);
    job.ended = drive(deps, payload, job, places).finally(() => {
      if (jobs.get(runId) === job) jobs.delete(runId);
    });
  }

  return {
    async start(runId, turn) {
      begin({ runId, turn });
    },

    async stop(runId, turn) {
      const job = jobs.get(runId);
      if (job?.turn === turn) job.abort.abort();
    },

    async reconcile() {
      const before = [...jobs]; // a job that begins during the query is not in its answer, and must not be dropped
      const running = await deps.runs.listRunning();
      const turns = new Map(running.map(({ id, turn }) => [id, turn]));
      for (const [runId, job] of before) if (turns.get(runId) !== job.turn) job.abort.abort();
      for (const { id, turn } of running) begin({ runId: id, turn });
    },

    async close() {
      closed = true;
      const left = [...jobs.values()];
      for (const { abort } of left) abort.abort();
      await Promise.all(left.map(({ ended }) => ended));
    },
  };
}

/** What the state machine does on AWS: advance until done, wait on `RetryLater`, and leave the rest to `fail`. */
async function drive(deps: AdvanceDeps, payload: TurnId, job: Job, places: Semaphore): Promise<void> {
  const { signal } = job.abort;
  const { runId } = payload;
  for (let attempt = 1; !signal.aborted;) {
    try {
      const { done, turn } = await places(async () => {
        const now = { runId, turn: job.turn };
        return signal.aborted ? { ...now, done: true } : advance(deps, now, { signal, deadline: Infinity });
      });
      if (done) return;
      job.turn = turn;
      attempt = 1;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RetryLater && error.progress) attempt = 1;
      if (!(error instanceof RetryLater) || attempt >= retryPolicy.maxAttempts) {
        return giveUp(deps, { runId, turn: job.turn }, error, signal);
      }
      const milliseconds = Math.round(Math.max(error.retryAfterMs ?? 0, delayOf(attempt)));
      log("error", "turn waits", { runId, turn: job.turn, attempt, milliseconds, reason: error.message });
      await pause(milliseconds, signal).catch(() => {}); // the loop sees it
      attempt++;
    }
  }
}

/** Without its final status the run would stay `running`: tried until it is written or the process ends. */
async function giveUp(deps: AdvanceDeps, turn: TurnId, error: unknown, signal: AbortSignal): Promise<void> {
  const reason = error instanceof Error ? error : new Error(String(error));
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      const cause = reason instanceof RetryLater ? reason.message : (reason.stack ?? reason.message);
      return await fail(deps, turn, { error: reason.name, cause });
    } catch (failed) {
      log("error", "turn's failure could not be recorded; trying again", { ...turn, error: failed });
      await pause(delayOf(attempt), signal).catch(() => {});
    }
  }
}

/** Milliseconds. */
function delayOf(attempt: number): number {
  const { firstDelaySeconds, backoffRate, maxDelaySeconds } = retryPolicy;
  return fullJitter(attempt, { first: firstDelaySeconds * 1_000, max: maxDelaySeconds * 1_000, rate: backoffRate });
}
