import { log } from "../log.ts";
import { turnStartedAt } from "../runs/status.ts";
import type { Executions } from "./execution.ts";
import type { Runs, Workflow } from "../runs/ports.ts";
import { endOrphanedTurn } from "./orphaned-turn.ts";
import { graceSeconds, sweepLookups, turnSeconds } from "./policy.ts";

export interface SweepDeps {
  runs: Runs;
  executions: Executions;
  workflow: Workflow;
  now: () => number;
}

/** `running`: runs with that status; `ended`: those of them that this sweep ended. */
export interface SweepResult {
  running: number;
  ended: number;
}

/**
 * Finds runs that are `running` and that nobody works on, whatever was lost on the way, and ends them with the reason:
 * no execution goes on, or it is past its deadline. Two lists are compared, so that it costs a page for a thousand
 * runs; only those that stand out are looked at one by one.
 */
export async function sweep({ runs, executions, workflow, now }: SweepDeps): Promise<SweepResult> {
  const begun = now();
  // Runs first: a turn that begins or ends in between is then not taken for a lost one.
  const running = await runs.listRunning();
  const atWork = await executions.runningRuns();
  let ended = 0;

  async function look(run: (typeof running)[number]): Promise<void> {
    const { id: runId, turn } = run;
    const age = begun - turnStartedAt(run);
    if (age < graceSeconds * 1_000) return;
    const late = age > (turnSeconds + graceSeconds) * 1_000;
    if (atWork.has(runId) && !late) return;
    const found = await executions.find(runId, turn);
    // An earlier turn that came to its end, so that this one, accepted later, was never started.
    const execution = found?.ended === "succeeded" && found.turn < turn ? undefined : found;
    if (execution && execution.ended === undefined && !late) return; // the list lagged behind
    if (!(await endOrphanedTurn({ runs, now }, { runId, turn }, execution))) return;
    ended++;
    if (execution && execution.ended === undefined) await workflow.stop(runId, execution.turn);
  }

  const waiting = [...running];
  const problems: unknown[] = [];
  async function worker(): Promise<void> {
    for (let run = waiting.pop(); run; run = waiting.pop())
      await look(run).catch((error: unknown) => problems.push(error));
  }
  await Promise.all(Array.from({ length: sweepLookups }, worker));

  log("info", "sweep done", { running: running.length, ended, problems: problems.length, milliseconds: now() - begun });
  // One run's trouble keeps nobody else waiting; but a sweep that met any has failed, and is seen to.
  if (problems.length > 0) throw new AggregateError(problems, `${problems.length} runs could not be looked at`);
  return { running: running.length, ended };
}
