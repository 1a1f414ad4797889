/** A run's status, as on the wire (`loop_status`, specification section 3). */
export const runStatuses = ["running", "finished", "technical_error", "terminated"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Every way a run may come to a status; `none` is a run that does not exist yet. Nothing else is allowed. */
export const transitions = {
  // By a client's create.
  createdWithInput: { from: "none", to: "running" },
  createdIdle: { from: "none", to: "finished" },
  // By the workflow that works on a turn.
  turnFinished: { from: "running", to: "finished" },
  /** A turn finished and the input that waited begins the next, in one write. */
  nextInputAccepted: { from: "running", to: "running" },
  turnFailed: { from: "running", to: "technical_error" },
  // By an operator.
  inputAccepted: { from: "finished", to: "running" },
  stoppedWhileRunning: { from: "running", to: "terminated" },
  stoppedWhileIdle: { from: "finished", to: "terminated" },
  deletedAfterError: { from: "technical_error", to: "terminated" },
} as const satisfies Record<string, { from: RunStatus | "none"; to: RunStatus }>;

/**
 * When the current turn of a run that is `running` started, in milliseconds since 1970: its input was accepted by the
 * write that last set status or turn.
 */
export function turnStartedAt({ updatedAt }: { updatedAt: number }): number {
  return updatedAt;
}
