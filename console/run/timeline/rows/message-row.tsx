import { formatClock } from "../../../format.ts";
import type { Message } from "../../model/run-model-types.ts";
import { formatPlace } from "../../selection.ts";
import { LoadMore } from "../../text/load-more.tsx";
import { MarkdownText } from "../../text/markdown-text.tsx";
import { useFullText } from "../../text/use-full-text.ts";
import type { RunView } from "../../view.ts";

/** Characters of a large text that are shown before the reader asks for all of it. */
const preview = 4_096;

/** An input or an output, as Markdown. */
export function MessageRow({ message, view }: { message: Message; view: RunView }) {
  const { role, at, text: loaded, sequence } = message;
  const step = role === "output" && view.model.turns.find(({ turn }) => turn === message.turn)?.steps.at(-1);
  const isAbove = step && step.text.length === loaded.length && view.grown.value.has(formatPlace(step));
  const shown = useFullText(view.texts, { loaded, sequence, path: "text" });
  return (
    <div class={`run-message from-${role}`}>
      <p class="run-message-head">
        {role === "input" ? "Input" : "Output"}
        {at !== undefined && <time dateTime={new Date(at).toISOString()}>{formatClock(at)}</time>}
        {isAbove && "as written above"}
      </p>
      {!isAbove && (
        <div class="run-bubble">
          <MarkdownText text={shown.complete ? shown.text : shown.text.slice(0, preview)} />
          <LoadMore shown={shown} />
        </div>
      )}
    </div>
  );
}
