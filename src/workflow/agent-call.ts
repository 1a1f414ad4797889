import type { RunJournalEntry } from "../runs/run-types.ts";

/** Part of `TurnPorts` and `TurnInput` that belongs to one invocation. */
export interface AgentCall {
  signal: AbortSignal;
  deadline: number;
  killed?: boolean;
  record: (entry: RunJournalEntry) => Promise<boolean>;
}
