/** A run's status, as on the wire (`loop_status`, specification section 3). */
export const runStatuses = ["running", "finished", "technical_error", "terminated"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Who may cause a transition: a client's create, the workflow working on a turn, or an operator. */
export type Actor = "client" | "workflow" | "operator";

/** Every way a run may come to a status; `none` is a run that does not exist yet. Nothing else is allowed. */
export const transitions = {
  createdWithInput: { from: "none", to: "running", by: "client" },
  createdIdle: { from: "none", to: "finished", by: "client" },
  turnFinished: { from: "running", to: "finished", by: "workflow" },
  /** A turn finished and the input that waited begins the next, in one write. */
  nextInputAccepted: { from: "running", to: "running", by: "workflow" },
  turnFailed: { from: "running", to: "technical_error", by: "workflow" },
  inputAccepted: { from: "finished", to: "running", by: "operator" },
  stoppedWhileRunning: { from: "running", to: "terminated", by: "operator" },
  stoppedWhileIdle: { from: "finished", to: "terminated", by: "operator" },
  deletedAfterError: { from: "technical_error", to: "terminated", by: "operator" },
} as const satisfies Record<string, { from: RunStatus | "none"; to: RunStatus; by: Actor }>;
