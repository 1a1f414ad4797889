// The page has this type, too: this file imports nothing.

/** The text of an answer that a model is writing, without what the model writes for itself before it. */
export interface WrittenText {
  turn: number;
  step: number;
  /** Characters before `text`, which are not kept. 0 on one machine. */
  from: number;
  /** What is kept of the text so far: its end. */
  text: string;
}
