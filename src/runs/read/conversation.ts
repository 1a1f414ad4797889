import type { Message } from "../../agent/model.ts";
import { summaryMessage } from "../../agent/turn/history/summary-text.ts";
import type { RunJournalEntry, RunState, Summary } from "../run-types.ts";

/** Earlier turns and this turn's input. A summary replaces the turns that it covers. */
export function conversation({ transcript, summary }: Pick<RunState, "transcript" | "summary">): Message[] {
  if (!summary) return transcript.map(toMessage);
  let inputs = 0;
  const later = transcript.filter(({ role }) => (role === "input_to_agent" ? ++inputs : inputs) > summary.throughTurn);
  return [summaryMessage(summary.text), ...later.map(toMessage)];
}

/** The last summary of earlier turns in a journal. Undefined: the journal has none, or only summaries of steps of the same turn. */
export function summaryOf(journal: RunJournalEntry[]): Summary | undefined {
  const found = journal.findLast((entry) => entry.part === "summary" && entry.throughTurn > 0);
  return found?.part === "summary" ? { throughTurn: found.throughTurn, text: found.text } : undefined;
}

function toMessage({ role, text }: RunState["transcript"][number]): Message {
  return role === "input_to_agent" ? { role: "user", text } : { role: "assistant", answer: { text, toolCalls: [] } };
}
