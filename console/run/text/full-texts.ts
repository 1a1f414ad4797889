import type { RunEvent } from "../../api/types.ts";

/** Texts up to this size are loaded when they are shown. Characters; larger ones are loaded when the reader asks. */
export const loadedUnasked = 65_536;

/** Complete events that are kept. */
const kept = 30;

/** Loads complete events, each once, and keeps the last ones. */
export class FullTexts {
  readonly #events = new Map<number, Promise<RunEvent>>();
  readonly #load: (sequence: number) => Promise<RunEvent>;

  constructor(load: (sequence: number) => Promise<RunEvent>) {
    this.#load = load;
  }

  /** The complete event with a number. */
  event(sequence: number): Promise<RunEvent> {
    const known = this.#events.get(sequence);
    if (known) return known;
    const loading = this.#load(sequence);
    this.#events.set(sequence, loading);
    loading.catch(() => this.#events.delete(sequence));
    const [oldest] = this.#events.keys();
    if (this.#events.size > kept && oldest !== undefined) this.#events.delete(oldest);
    return loading;
  }
}

/** The text at a path of an event: `text`, `reasoning`, or `tool_calls.2.arguments`. */
export function textAt(event: RunEvent, path: string): string {
  const call = /^tool_calls\.(\d+)\.arguments$/.exec(path)?.[1];
  if (call !== undefined) return event.type === "model_call" ? (event.tool_calls[Number(call)]?.arguments ?? "") : "";
  if (path === "reasoning") return event.type === "model_call" ? (event.reasoning ?? "") : "";
  return ("text" in event && event.text) || "";
}
