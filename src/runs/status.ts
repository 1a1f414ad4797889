import { eventTypes } from "../accounts/account-limits.ts";

/** Status of a run: `loop_status` in the API (specification section 3). */
export const runStatuses = ["running", "finished", "technical_error", "terminated"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The status in more detail, as the extension API, the management API and the page show it, in the order of the documents. */
export const runStates = [
  "running",
  /** Running, but a quota delays the start of the turn. */
  "waiting_for_slot",
  /** Running, but tool calls wait for answers. */
  "waiting",
  "finished",
  /** Finished, because it was created without input. */
  "waiting_for_input",
  "technical_error",
  "terminated",
] as const;
export type ShownState = (typeof runStates)[number];

/**
 * What lists of runs can be limited to: `waiting_for_input` is `finished` without a turn, `finished` is with one; `waiting`
 * waits for answers, `running` does not.
 */
export const runFilterStatuses = [...runStatuses, "waiting", "waiting_for_input"] as const satisfies ShownState[];
export type RunFilterStatus = (typeof runFilterStatuses)[number];

/**
 * What a webhook reports: a turn's output, tool calls that wait for answers, a turn that failed, a run that was stopped or
 * deleted; or that an operator tries it.
 */
export const deliveryTypes = [...eventTypes, "webhook.test"] as const;
export type DeliveryType = (typeof deliveryTypes)[number];

/** All allowed transitions. `none`: the run does not exist yet. */
export const transitions = {
  // A client creates a run.
  createdWithInput: { from: "none", to: "running" },
  createdIdle: { from: "none", to: "finished" },
  // An operator forks a run: until its record is copied, the fork has ended with an error.
  forkCreated: { from: "none", to: "technical_error" },
  recordCopied: { from: "technical_error", to: "technical_error" },
  forkStarted: { from: "technical_error", to: "running" },
  // An operator keeps a turn in a suite, or imports a run: its record is copied in the same way. An imported run ends as the
  // recorded one did: with `recordCopied` or `deletedAfterError`, too.
  recordKept: { from: "technical_error", to: "finished" },
  // The workflow ends a turn.
  turnFinished: { from: "running", to: "finished" },
  /** A turn ends and a queued input starts the next, in one write. */
  nextInputAccepted: { from: "running", to: "running" },
  /** Tool calls wait for answers: no process works on the turn. */
  turnAsks: { from: "running", to: "running" },
  /** All of them have answers. */
  turnAnswered: { from: "running", to: "running" },
  turnFailed: { from: "running", to: "technical_error" },
  // An operator controls a run.
  inputAccepted: { from: "finished", to: "running" },
  turnRetried: { from: "technical_error", to: "running" },
  stoppedWhileRunning: { from: "running", to: "terminated" },
  stoppedWhileIdle: { from: "finished", to: "terminated" },
  deletedAfterError: { from: "technical_error", to: "terminated" },
} as const satisfies Record<string, { from: RunStatus | "none"; to: RunStatus }>;

/**
 * Start of the current turn of a running run, in milliseconds since 1970, as if it had not waited for answers: the last write
 * of status or turn accepted its input, gave it the slot that it waited for, or was the last answer.
 */
export function turnStartedAt({ updatedAt, worked = 0 }: { updatedAt: number; worked?: number }): number {
  return updatedAt - worked;
}
