import type { Runs } from "../ports.ts";
import type { RunEvent, RunJournalEntry, Summary, TurnMessage } from "../run-types.ts";
import { summaryOf } from "./conversation.ts";
import { eventsOf } from "./list-events.ts";

/** What is recorded of a turn, and the conversation that it began with. */
export interface TurnRecord {
  /** Messages up to the turn's input. */
  transcript: TurnMessage[];
  entries: RunJournalEntry[];
  /** The last one of earlier turns. */
  summary?: Summary;
  /** Of the turn. Absent: it has none. */
  output?: string;
}

/** Reads the events of a run up to the end of a turn. Of the journals of earlier turns, it keeps the summary alone. */
export async function turnRecord(deps: { runs: Runs }, runId: string, turn: number): Promise<TurnRecord> {
  const record: TurnRecord = { transcript: [], entries: [] };
  for await (const event of eventsOf(deps, runId)) {
    if (event.turn > turn) break;
    if ("role" in event) {
      if (event.turn < turn || event.role === "input_to_agent") record.transcript.push(event);
      else record.output = event.text;
    } else if (event.turn === turn) record.entries.push(event);
    else {
      const summary = summaryOf([event]);
      if (summary) record.summary = summary;
    }
  }
  return record;
}

/** The events of one turn of a run, in order. */
export async function turnEvents(deps: { runs: Runs }, runId: string, turn: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of eventsOf(deps, runId)) {
    if (event.turn > turn) break;
    if (event.turn === turn) events.push(event);
  }
  return events;
}
