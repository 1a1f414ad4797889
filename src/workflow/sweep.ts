import { log } from "../log.ts";
import type { Runs, Workflow } from "../runs/ports.ts";
import { turnStartedAt } from "../runs/status.ts";
import type { Executions } from "./execution.ts";
import { endOrphanedTurn } from "./orphaned-turn.ts";
import { graceSeconds, sweepConcurrency, turnSeconds } from "./policy.ts";

export interface SweepDeps {
  runs: Runs;
  executions: Executions;
  workflow: Workflow;
  now: () => number;
}

/** `running`: runs with that status. `ended`: orphaned runs that this sweep ended. */
export interface SweepResult {
  running: number;
  ended: number;
}

/**
 * Ends orphaned runs: runs with the status `running` whose execution is gone or past its deadline. Compares two lists,
 * which cost one page per thousand runs, and looks up only the executions of runs that differ.
 */
export async function sweep({ runs, executions, workflow, now }: SweepDeps): Promise<SweepResult> {
  const startedAt = now();
  // Runs are listed first, so that a turn that starts or ends in between does not look orphaned.
  const running = await runs.listRunning();
  const executing = await executions.runningRuns();
  let ended = 0;

  async function check(run: (typeof running)[number]): Promise<void> {
    const { id: runId, turn } = run;
    const age = startedAt - turnStartedAt(run);
    if (age < graceSeconds * 1_000) return;
    const late = age > (turnSeconds + graceSeconds) * 1_000;
    if (executing.has(runId) && !late) return;
    const found = await executions.find(runId, turn);
    // An earlier turn's execution has succeeded, so this turn's execution was never started.
    const execution = found?.ended === "succeeded" && found.turn < turn ? undefined : found;
    if (execution && execution.ended === undefined && !late) return; // missing in the list, which is eventually consistent
    if (!(await endOrphanedTurn({ runs, now }, { runId, turn }, execution))) return;
    ended++;
    if (execution && execution.ended === undefined) await workflow.stop(runId, execution.turn);
  }

  const queue = [...running];
  const errors: unknown[] = [];
  async function worker(): Promise<void> {
    for (let run = queue.pop(); run; run = queue.pop()) await check(run).catch((error: unknown) => errors.push(error));
  }
  await Promise.all(Array.from({ length: sweepConcurrency }, worker));

  log("info", "sweep finished", {
    running: running.length,
    ended,
    errors: errors.length,
    milliseconds: now() - startedAt,
  });
  // Errors are collected so that one run cannot block others. Any error fails the sweep and raises the alarm.
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} runs could not be checked`);
  return { running: running.length, ended };
}
