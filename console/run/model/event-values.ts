import type { ModelCallEvent } from "../../api/types.ts";
import type { Call, LoadedText } from "./run-model-types.ts";

// What the model of a run reads from its events.

/** A call that a model asked for, before it started. `index`: its place among those of its step. */
export function newCall(
  event: ModelCallEvent,
  { name, arguments: json, ...sent }: ModelCallEvent["tool_calls"][number],
  index: number,
): Call {
  const asSent = [sent.sent_name, sent.sent_arguments].filter((each) => each !== undefined).join(" ");
  return {
    turn: event.turn,
    step: event.step,
    index,
    name,
    arguments: loadedText(event, `tool_calls.${index}.arguments`, json),
    ...(asSent && { sent: asSent }),
    failed: false,
    files: [],
    attachments: [],
    starts: 0,
  };
}

/** A text of an event at `path`, and its length if the event was cut. */
export function loadedText({ cut }: { cut?: Record<string, number> }, path: string, text: string): LoadedText {
  return { text, length: cut?.[path] ?? text.length };
}

/** Milliseconds since 1970. Undefined: not recorded. */
export function timeOf(at: string | null): number | undefined {
  return at === null ? undefined : Date.parse(at);
}

/** The start of a call that ended at a time. */
export function startOf(at: number | undefined, milliseconds: number | null): number | undefined {
  return at === undefined || milliseconds === null ? at : at - milliseconds;
}

/** The fields that were recorded. */
export function recorded(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
