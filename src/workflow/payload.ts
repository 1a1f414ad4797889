import type { TurnId } from "../runs/turn-writes.ts";

/** Result of `advance`. Not done: call it again with `turn`, which is a later turn when a queued input has started one. */
export interface AdvanceResult {
  done: boolean;
  turn: number;
}

/**
 * Input of the function `advance`, carried by the state machine. It holds ids only: Step Functions limits it to 256 KiB
 * and shows it in the console. `waits`: consecutive waits that a provider asked for. `stateMachineArn`: of this state machine,
 * whose definition contains the ARN of `advance`: the function cannot get it as a setting.
 */
export type AdvancePayload = TurnId & { waits?: number; stateMachineArn?: string };

/** Response of the function `advance`. `waitSeconds`: delay before the next invocation, 0 for none. */
export type AdvanceResponse = AdvanceResult & { waitSeconds: number; waits: number };

/** Error name and description from a catch of the state machine. */
export interface FailCause {
  error: string;
  cause: string;
}

/** Input of the function `fail`. */
export type FailPayload = TurnId & FailCause;

/** The message of a cause. Lambda sends JSON with `errorMessage`, Step Functions plain text. */
export function reasonOf(cause: string): string {
  try {
    const { errorMessage } = JSON.parse(cause) as { errorMessage?: unknown };
    return typeof errorMessage === "string" ? errorMessage : cause;
  } catch {
    return cause;
  }
}

/** Longer causes are truncated. Characters (UTF-16 code units). */
export const causeLength = 2_000;
