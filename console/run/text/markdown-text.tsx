import { useMemo } from "preact/hooks";
import { withStyle } from "../../ui/load-style.ts";
import { laterModule } from "./later-module.ts";
import { visible } from "./visible.ts";

const useReader = laterModule(() => withStyle(import("./markdown-elements.ts")));

/** Text of a run as Markdown. Until the reader is loaded, and if that fails, as plain text. */
export function MarkdownText({ text }: { text: string }) {
  const reader = useReader(true);
  const elements = useMemo(() => reader?.markdownElements(text), [text, reader]);
  return (
    <div class={elements === undefined ? "run-markdown plain" : "run-markdown"} dir="auto">
      {elements ?? visible(text)}
    </div>
  );
}
