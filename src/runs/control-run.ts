import { pause } from "../async/backoff.ts";
import { ServiceError } from "../errors.ts";
import { drainMilliseconds } from "./leases.ts";
import type { Runs, Workflow, Workspace } from "./ports.ts";
import { transitions } from "./status.ts";
import { startTurn } from "./turn-writes.ts";
import type { Run, RunChange } from "./types.ts";

interface ControlDeps {
  runs: Runs;
  workflow: Workflow;
  now: () => number;
}

/** Queued inputs per run. Each is an item of its own in the store. */
export const maxQueued = 20;

/** Starts the next turn of an idle run, or queues the input of a running one. */
export async function acceptInput(deps: ControlDeps, runId: string, text: string): Promise<void> {
  // Repeats when the run changes between the read and the write: it may finish or queue another input.
  for (;;) {
    const { run } = await existingRun(deps.runs, runId);
    const { status, turn, queued = 0 } = run;
    if (status === "running") {
      if (queued >= maxQueued) {
        throw new ServiceError(
          "queue_full",
          `run ${runId} has ${queued} queued inputs; at most ${maxQueued} are accepted`,
        );
      }
      const add = { turn: turn + queued + 1, text };
      if (await deps.runs.change({ runId, expect: { status, turn, queued }, queue: { add } })) return;
    } else if (status === "finished") {
      const { from, to } = transitions.inputAccepted;
      const accepted = await deps.runs.change({
        runId,
        expect: { status: from, turn },
        set: { status: to, turn: turn + 1, updatedAt: deps.now() },
        messages: [{ turn: turn + 1, role: "input_to_agent", text }],
      });
      if (accepted) return startTurn(deps, runId, turn + 1);
    } else {
      throw new ServiceError("run_ended", `run ${runId} is ${status}; only a running or finished run accepts input`);
    }
  }
}

/** Sets a run to `terminated`, drops its queued inputs and stops its work. No-op for a terminated run. */
export async function stopRun(deps: ControlDeps, runId: string): Promise<void> {
  // Repeats when the run changes between the read and the write: it may finish or start its next turn.
  for (;;) {
    const { run } = await existingRun(deps.runs, runId);
    if (run.status === "terminated") return;
    if (run.status === "technical_error") {
      throw new ServiceError("run_ended", `run ${runId} already ended with technical_error and cannot be stopped`);
    }
    const { to } = run.status === "running" ? transitions.stoppedWhileRunning : transitions.stoppedWhileIdle;
    const change: RunChange = {
      runId,
      expect: { status: run.status, turn: run.turn },
      set: { status: to, turn: run.turn, updatedAt: deps.now() },
      queue: "drop",
    };
    if (await deps.runs.change(change)) return deps.workflow.stop(runId, run.turn);
  }
}

/**
 * Stops a run and permanently deletes its transcript, journal and files. API clients then see `terminated` and an
 * empty transcript.
 * - Takes 3 s for a run with work in progress, until its worker has stopped writing.
 * - Idempotent: a repeated call continues after a failure.
 */
export async function deleteRun(deps: ControlDeps & { workspace: Workspace }, runId: string): Promise<void> {
  const { run } = await existingRun(deps.runs, runId);
  const { from, to } = transitions.deletedAfterError;
  if (run.status === from) {
    const { turn } = run;
    await deps.runs.change({ runId, expect: { status: from, turn }, set: { status: to, turn, updatedAt: deps.now() } });
  } else await stopRun(deps, runId);
  await pause(drainDelay(run, deps.now()));
  if (!(await deps.runs.erase(runId)))
    throw new ServiceError("modified_concurrently", `run ${runId} was modified concurrently; retry`);
  await deps.workspace.removeAll(runId);
}

/** Milliseconds until a worker of the stopped run has stopped writing. */
function drainDelay({ status, updatedAt }: Run, now: number): number {
  if (status === "running") return drainMilliseconds;
  return status === "terminated" ? Math.max(0, Math.min(updatedAt - now, 0) + drainMilliseconds) : 0;
}

async function existingRun(runs: Runs, runId: string): Promise<{ run: Run }> {
  const found = await runs.read(runId);
  if (!found) throw new ServiceError("run_not_found", `run ${runId} does not exist`);
  return found;
}
