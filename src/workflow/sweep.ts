import { log } from "../log.ts";
import { type AdmissionDeps, startAllWaiting } from "../runs/admission.ts";
import { expireAnswers } from "../runs/control/answer-call.ts";
import type { Executions } from "./execution.ts";
import { endOrphanedTurn } from "./orphaned-turn.ts";
import type { KindOf } from "./turn-kind.ts";
import { graceSeconds, sweepConcurrency, sweepStartsSeconds, turnSeconds } from "./policy.ts";

export interface SweepDeps extends AdmissionDeps {
  executions: Executions;
  /** Absent: all turns are ordinary. */
  kindOf?: KindOf<unknown>;
}

/**
 * `running`: runs with a turn in progress. `ended`: orphaned runs that this sweep ended. `waiting`: runs that still wait
 * for a slot.
 */
export interface SweepResult {
  running: number;
  ended: number;
  waiting: number;
}

/**
 * Ends orphaned runs: runs with the status `running` whose execution is gone or past its deadline. Compares two lists,
 * which cost one page per thousand runs, and looks up only the executions of runs that differ. Then lets runs continue whose
 * calls were not answered in time, and starts waiting runs:
 * what freed their slots may have failed, a quota may have been raised, or a new day may have begun.
 */
export async function sweep(deps: SweepDeps): Promise<SweepResult> {
  const { runs, executions, workflow, now } = deps;
  const startedAt = now();
  // Runs are listed first, so that a turn that starts or ends in between does not look orphaned.
  const running = await runs.listRunning();
  const executing = await executions.runningRuns();
  let ended = 0;

  async function check(run: (typeof running)[number]): Promise<void> {
    const { id: runId, turn } = run;
    const age = startedAt - run.updatedAt;
    if (age < graceSeconds * 1_000) return;
    const late = age > (turnSeconds + graceSeconds) * 1_000;
    if (executing.has(runId) && !late) return;
    const found = await executions.find(run);
    // An earlier turn's execution has succeeded, so this turn's execution was never started.
    const execution = found?.ended === "succeeded" && found.turn < turn ? undefined : found;
    if (execution && execution.ended === undefined && !late) return; // missing in the list, which is eventually consistent
    // Each pause and each retry is followed by an execution of its own. If there is one, this turn is a new one after it.
    const continues = run.pauses !== undefined && run.pauses > 0 && !found;
    if (!execution && (run.waiting === false || continues || (await isOfKind(runId)))) {
      // The run got its slot or its answer, is retried, or is of another kind, but the process that wrote it did not start the workflow.
      await workflow.start(runId, turn, run);
      return;
    }
    if (!(await endOrphanedTurn({ runs, now }, { runId, turn }, execution))) return;
    ended++;
    if (execution && execution.ended === undefined) await workflow.stop(runId, execution.turn, run.pauses);
  }

  async function isOfKind(runId: string): Promise<boolean> {
    const run = deps.kindOf && (await runs.head(runId));
    return run !== undefined && deps.kindOf?.(run) !== undefined;
  }

  const queue = [...running];
  const errors: unknown[] = [];
  async function worker(): Promise<void> {
    for (let run = queue.pop(); run; run = queue.pop()) await check(run).catch((error: unknown) => errors.push(error));
  }
  await Promise.all(Array.from({ length: sweepConcurrency }, worker));
  const recounted = await runs.recount().catch((error: unknown) => void errors.push(error));
  const expired = await expireAnswers(deps, startedAt + sweepStartsSeconds * 1_000);
  const { started, waiting, errors: notStarted } = await startAllWaiting(deps, startedAt + sweepStartsSeconds * 1_000);
  errors.push(...notStarted);

  log("info", "sweep finished", {
    running: running.length,
    ended,
    started,
    waiting,
    expired,
    recounted,
    errors: errors.length,
    milliseconds: now() - startedAt,
  });
  // Errors are collected so that one run cannot block others. Any error fails the sweep and raises the alarm.
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} runs could not be checked or started`);
  return { running: running.length, ended, waiting };
}
