import { useRef } from "preact/hooks";
import type { TextDelta } from "../../api/types.ts";
import { visible } from "../text/visible.ts";
import { JoinedText } from "./joined-text.ts";

/** The text of an answer while a model writes it. Assistive technologies do not announce growing text. */
export function GrowingText({ parts }: { parts: readonly TextDelta[] }) {
  const joined = useRef(new JoinedText());
  const { from, text } = joined.current.of(parts);
  return (
    <div class="run-growing" aria-hidden="true">
      {from > 0 && "…"}
      {visible(text)}
      <span class="caret" />
    </div>
  );
}
