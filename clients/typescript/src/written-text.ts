import type { Event } from "./types.ts";

/** The step of a run whose answer a model writes. */
export interface TextPlace {
  turn: number;
  step: number;
}

/** What a message `delta` of an event stream says: the text of a step from character `from` on. */
interface Delta extends TextPlace {
  /** In UTF-16 code units. 0: the text begins, or begins again. */
  from: number;
  text: string;
}

type Shown = TextPlace & { text: string };

/** Joins the parts of the text that a model writes. */
export class WrittenText {
  /** Undefined: nothing is being written, or its beginning is missing. */
  #shown: Shown | undefined;
  /** The last step whose answer is recorded. */
  #recorded: TextPlace = { turn: 0, step: 0 };

  /** Forgets what is being written: another connection begins it again. */
  restart(): void {
    this.#shown = undefined;
  }

  /** The text of the step so far. Undefined: its beginning is missing, or the whole text was passed on. */
  add({ turn, step, from, text }: Delta): Shown | undefined {
    const { turn: lastTurn, step: lastStep } = this.#recorded;
    if (turn < lastTurn || (turn === lastTurn && step <= lastStep)) return undefined; // it came after the event
    const before = this.#shown?.turn === turn && this.#shown.step === step ? this.#shown.text : "";
    this.#shown = from > before.length ? undefined : { turn, step, text: before.slice(0, from) + text };
    return this.#shown;
  }

  /** The whole text of a recorded answer, which replaces its parts: the last of them are often not sent. Undefined: it has none. */
  record(event: Event): Shown | undefined {
    if (event.type !== "model_call") return undefined;
    const { turn, step, text } = event;
    this.#shown = undefined;
    this.#recorded = { turn, step };
    return text ? { turn, step, text } : undefined;
  }
}
