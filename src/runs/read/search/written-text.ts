// The page has these types, too: this file imports nothing.

/** What is kept of a text that a model is writing: its end. */
interface TextEnd {
  /** Characters before `text`, which are not kept. 0 on one machine. */
  from: number;
  text: string;
}

/** Text of a step, or what the model thinks before it, from character `from` on. */
export interface TextDelta extends TextEnd {
  turn: number;
  step: number;
}

/** The text of an answer that a model is writing. */
export interface WrittenText extends TextDelta {
  /** What the model thinks before its answer. Absent: nothing, or it is not shown. */
  thinking?: TextEnd;
}
