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

/** Joins the parts of the text that a model writes. */
export class WrittenText {
  /** Undefined: nothing is being written, or its beginning is missing. */
  #shown: (TextPlace & { text: string }) | undefined;

  /** The text of the step so far. Undefined: its beginning is missing. */
  add({ turn, step, from, text }: Delta): (TextPlace & { text: string }) | undefined {
    const before = this.#shown?.turn === turn && this.#shown.step === step ? this.#shown.text : "";
    this.#shown = from > before.length ? undefined : { turn, step, text: before.slice(0, from) + text };
    return this.#shown;
  }

  /** The recorded answer of a step replaces its text. */
  record({ type }: Event): void {
    if (type === "model_call") this.#shown = undefined;
  }
}
