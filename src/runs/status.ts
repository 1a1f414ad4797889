/** Status of a run: `loop_status` in the API (specification section 3). */
export const runStatuses = ["running", "finished", "technical_error", "terminated"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** All allowed transitions. `none`: the run does not exist yet. */
export const transitions = {
  // A client creates a run.
  createdWithInput: { from: "none", to: "running" },
  createdIdle: { from: "none", to: "finished" },
  // The workflow ends a turn.
  turnFinished: { from: "running", to: "finished" },
  /** A turn ends and a queued input starts the next, in one write. */
  nextInputAccepted: { from: "running", to: "running" },
  turnFailed: { from: "running", to: "technical_error" },
  // An operator controls a run.
  inputAccepted: { from: "finished", to: "running" },
  stoppedWhileRunning: { from: "running", to: "terminated" },
  stoppedWhileIdle: { from: "finished", to: "terminated" },
  deletedAfterError: { from: "technical_error", to: "terminated" },
} as const satisfies Record<string, { from: RunStatus | "none"; to: RunStatus }>;

/**
 * Start of the current turn of a running run, in milliseconds since 1970: the last write of status or turn accepted its
 * input, or gave it the slot that it waited for.
 */
export function turnStartedAt({ updatedAt }: { updatedAt: number }): number {
  return updatedAt;
}
