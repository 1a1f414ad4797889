import type { TextDelta } from "../api/types.ts";
import type { LoadedText } from "./model/run-model-types.ts";

/** What a model has written of an answer that is not recorded yet. Both texts are known from their character `from` on. */
export interface Written extends Pick<TextDelta, "turn" | "step"> {
  text?: Pick<TextDelta, "from" | "text">;
  /** What it thinks before that. */
  thinking?: Pick<TextDelta, "from" | "text">;
  /** When the text began after the thinking. Absent: not yet, or the page did not see it. */
  thoughtUntil?: number;
}

/** Adds a part of a text. Of a part behind what is known, what comes before is missing. */
export function addWritten(
  before: Written | undefined,
  kind: "text" | "thinking",
  { turn, step, from, text }: TextDelta,
): Written {
  const written: Written = before?.turn === turn && before.step === step ? before : { turn, step };
  const known = written[kind];
  const at = known ? from - known.from : 0;
  const continues = known && at > 0 && at <= known.text.length;
  return { ...written, [kind]: continues ? { ...known, text: known.text.slice(0, at) + text } : { from, text } };
}

/** Completes a recorded text, which the stream has cut, with what the page has received of it before. */
export function completeText(recorded: LoadedText | undefined, part: Written["text"]): void {
  if (recorded && part?.text.length === recorded.length && part.text.startsWith(recorded.text))
    recorded.text = part.text;
}
