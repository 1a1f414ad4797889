import type { ManifestFile } from "../../agent/turn/files/manifest.ts";
import { ServiceError } from "../../errors.ts";
import type { Runs } from "../ports.ts";
import { transitions } from "../status.ts";
import { factsOf } from "../turn-writes.ts";
import type { Run, RunEvent, RunJournalEntry, Stamped, Summary, TurnMessage } from "../run-types.ts";

/** Events of a write. DynamoDB takes 100 items and 4 MB together; an event has up to 64 KiB, longer texts are objects. */
const eventsAtOnce = 40;

/** Events that are written together. A write numbers entries before messages. `turn`: of the last one. */
export interface EventGroup {
  turn: number;
  entries: Stamped<RunJournalEntry>[];
  messages: Stamped<TurnMessage>[];
}

/** Numbers events in order and puts them into groups. The first one is the run's first input alone. */
export function groupsOf(events: RunEvent[], now: number): EventGroup[] {
  const groups: EventGroup[] = [];
  for (const [index, { at = now, ...event }] of events.entries()) {
    const stamp = { sequence: index + 1, at };
    let group = groups.at(-1);
    const isFull = group && group.entries.length + group.messages.length >= eventsAtOnce;
    if (!group || isFull || groups.length === 1 || ("part" in event && group.messages.length > 0)) {
      group = { turn: event.turn, entries: [], messages: [] };
      groups.push(group);
    }
    group.turn = event.turn;
    if ("part" in event) group.entries.push({ ...event, ...stamp });
    else group.messages.push({ ...event, ...stamp });
  }
  return groups;
}

/** What a run has of the turns before the one that is forked. */
export interface EarlierTurns {
  /** Absent: they changed none. */
  files?: ManifestFile[];
  summary?: Summary;
}

/**
 * Appends the groups to the run, which shows its failure meanwhile. `turn`: the last one, with whose input
 * `earlier` is written. Rejects if somebody else changes the run.
 */
export async function appendGroups(
  { runs, now }: { runs: Runs; now: () => number },
  run: Run,
  groups: Iterable<EventGroup> | AsyncIterable<EventGroup>,
  { turn, earlier }: { turn: number; earlier: EarlierTurns },
): Promise<Run> {
  const { from, to } = transitions.recordCopied;
  let { turn: before, sequence } = run;
  const { failure } = run;
  for await (const { turn: reached, entries, messages } of groups) {
    const set = { status: to, turn: reached, updatedAt: now(), ...(failure && { failure }) };
    const begins = messages.some((message) => message.turn === turn && message.role === "input_to_agent");
    const change = {
      runId: run.id,
      expect: { status: from, turn: before },
      set,
      entries,
      messages,
      ...factsOf(entries),
      ...(begins && earlier),
      facts: run,
    };
    if (!(await runs.change(change))) throw changedMeanwhile(run.id);
    before = reached;
    sequence += entries.length + messages.length;
  }
  return { ...run, turn: before, sequence };
}

export function changedMeanwhile(id: string): ServiceError {
  const message = `the fork ${id} was changed while its record was copied; fork the run again`;
  return new ServiceError("modified_concurrently", message);
}
