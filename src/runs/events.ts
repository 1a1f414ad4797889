import type { EventStamp, RunChange, RunEvent } from "./types.ts";

/** Numbers events in order. `sequence`: number of the run's last event. */
export function stamped<Event extends object>(events: Event[], { sequence, at }: EventStamp): (Event & EventStamp)[] {
  return events.map((event, index) => ({ ...event, sequence: sequence + index + 1, at }));
}

/**
 * Number of the run's last event before and after a change. Undefined: the change has no events. Throws if their numbers
 * have a gap.
 */
export function sequenceOf({
  runId,
  entries = [],
  messages = [],
}: Pick<RunChange, "runId" | "entries" | "messages">): { before: number; after: number } | undefined {
  const events = [...entries, ...messages];
  if (events.length === 0) return undefined;
  const numbers = events.map(({ sequence }) => sequence);
  const [before, after] = [Math.min(...numbers) - 1, Math.max(...numbers)];
  if (after - before !== events.length || new Set(numbers).size !== events.length) {
    throw new Error(`run ${runId}: the events of a change are numbered ${numbers.join(", ")}; expected no gaps`);
  }
  return { before, after };
}

/** The events that follow number `after` without a gap, in order. A store may see a part of a transaction. */
export function consecutive<Event extends Pick<EventStamp, "sequence">>(events: Event[], after: number): Event[] {
  const sorted = events.toSorted((a, b) => a.sequence - b.sequence);
  const gap = sorted.findIndex(({ sequence }, index) => sequence !== after + index + 1);
  return gap === -1 ? sorted : sorted.slice(0, gap);
}

/** Events without numbers in their order. `events`: entries of a turn are in the order of recording. */
export function inTurnOrder(events: RunEvent[]): RunEvent[] {
  return events.toSorted((a, b) => a.turn - b.turn || placeInTurn(a) - placeInTurn(b));
}

function placeInTurn(event: RunEvent): number {
  if ("part" in event) return 1;
  return event.role === "input_to_agent" ? 0 : 2;
}
