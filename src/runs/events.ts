import type { FileVersion } from "../agent/turn/files/manifest.ts";
import type { EventStamp, Run, RunChange, RunEvent } from "./run-types.ts";

/** Numbers events in order. `sequence`: number of the run's last event. */
export function stamped<Event extends object>(events: Event[], { sequence, at }: EventStamp): (Event & EventStamp)[] {
  return events.map((event, index) => ({ ...event, sequence: sequence + index + 1, at }));
}

/**
 * Number of the run's last event before and after a change, whose entries come before its messages. Undefined: the change
 * has no events. Throws if their numbers are not consecutive.
 */
export function sequenceOf({
  runId,
  entries = [],
  messages = [],
}: Pick<RunChange, "runId" | "entries" | "messages">): { before: number; after: number } | undefined {
  const events = [...entries, ...messages];
  const [first] = events;
  if (!first) return undefined;
  let after = first.sequence - 1;
  for (const { sequence } of events) {
    if (sequence === after + 1) after = sequence;
    else throw new Error(`run ${runId}: the events of a change are numbered ${after} and ${sequence}; expected no gap`);
  }
  return { before: first.sequence - 1, after };
}

/** Throws unless the events of a new run have the numbers from 1 to `run.sequence`, each once. */
export function requireAllEvents(
  { id, sequence }: Pick<Run, "id" | "sequence">,
  events: Pick<EventStamp, "sequence">[],
): void {
  const first = consecutive(events, 0).length;
  if (first === events.length && first === sequence) return;
  throw new Error(
    `run ${id} is created with ${events.length} events, of which ${first} are numbered from 1 without a gap; expected ${sequence}`,
  );
}

/** The events that follow number `after` without a gap, in order. A store may see a part of a transaction. */
export function consecutive<Event extends Pick<EventStamp, "sequence">>(events: Event[], after: number): Event[] {
  const sorted = events.toSorted((a, b) => a.sequence - b.sequence);
  const gap = sorted.findIndex(({ sequence }, index) => sequence !== after + index + 1);
  return gap === -1 ? sorted : sorted.slice(0, gap);
}

/** The files that an event changed or deleted. */
export function changedFiles(event: RunEvent): FileVersion[] {
  return "part" in event && event.part === "result" ? (event.files ?? []) : [];
}
