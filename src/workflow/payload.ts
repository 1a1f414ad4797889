import type { TurnId } from "../runs/turn-writes.ts";

/**
 * What the state machine carries, from StartExecution to its end. Ids only: the limit between states is 256 KiB, and
 * executions are shown to everybody who may open the console.
 */
export type TurnPayload = TurnId;

/**
 * What `advance` answers. Not done: call it again, with the same payload or with `turn`, the one that the run has come
 * to: inputs that waited follow each other in one execution.
 */
export interface AdvanceResult {
  done: boolean;
  turn: number;
}

/** What `advance` is invoked with; `waits`: how often in a row it was called again after a time its provider asked for. */
export type AdvancePayload = TurnPayload & { waits?: number };

/** What an invocation of `advance` answers. `waitSeconds`: how long to wait before the next, 0 for not at all. */
export type AdvanceAnswer = AdvanceResult & { waitSeconds: number; waits: number };

/** What a state machine's catch hands to `fail`: the error's name and its description. */
export interface FailCause {
  error: string;
  cause: string;
}

/** What `fail` is invoked with. */
export type FailPayload = TurnPayload & FailCause;

/** The message in a cause: Lambda describes an error as JSON with `errorMessage`, Step Functions in plain text. */
export function reasonOf(cause: string): string {
  try {
    const { errorMessage } = JSON.parse(cause) as { errorMessage?: unknown };
    return typeof errorMessage === "string" ? errorMessage : cause;
  } catch {
    return cause;
  }
}

/** Characters (UTF-16 units) of an error's description that are worth keeping. */
export const causeLength = 2_000;
