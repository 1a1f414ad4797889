/**
 * Why a turn was interrupted.
 * - `restart`: the service was stopped or killed, and started again.
 * - `lease_expired`: the process that ran the turn neither ended its lease nor renewed it: it crashed, timed out, was
 *   suspended, or could not reach the store.
 * - `retry`: it had ended with an error, and an operator retried it.
 */
export type ResumeReason = (typeof resumeReasons)[number];

export const resumeReasons = ["restart", "lease_expired", "retry"] as const;
