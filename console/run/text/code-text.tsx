import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../../ui/fields/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { CodeLanguage } from "./code-language.ts";
import { laterModule } from "./later-module.ts";
import { visible } from "./visible.ts";

const useHighlighter = laterModule(() => import("./code-elements.ts"));

interface CodeTextProps {
  /** What it is. */
  title: ComponentChildren;
  /** As it was recorded: what Copy copies. */
  text: string;
  /** What is shown instead, such as JSON with indentation. */
  shown?: string;
  language?: CodeLanguage | undefined;
  /** Lines wrap at first, as for prose and errors. */
  wrapped?: boolean;
}

/** A text of the run for machines, with a head. */
export function CodeText({ title, text, shown = text, language, wrapped = false }: CodeTextProps) {
  const [wrap, setWrap] = useState(wrapped);
  return (
    <figure class="code">
      <header>
        {title}
        <Button kind="plain" size="small" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
          Wrap
        </Button>
        <CopyButton text={text} kind="plain" />
      </header>
      <CodeLines text={shown} language={language} wrap={wrap} />
    </figure>
  );
}

interface CodeLinesProps {
  text: string;
  language?: CodeLanguage | undefined;
  /** Lines wrap, and have no numbers. */
  wrap: boolean;
}

/** A text with the numbers of its lines. Long lines scroll. */
export function CodeLines({ text, language, wrap }: CodeLinesProps) {
  const code = useMemo(() => visible(text), [text]);
  const highlighter = useHighlighter(language !== undefined);
  const colored = useMemo(
    () => (highlighter && language ? highlighter.coloredCode(code, language) : code),
    [code, highlighter, language],
  );
  const numbers = useMemo(() => (wrap ? "" : lineNumbers(code)), [code, wrap]);
  return (
    // A scrollable region has to be reachable by keyboard.
    <pre class="run-code" data-wrap={wrap ? "" : undefined} tabIndex={0}>
      {numbers !== "" && (
        <span class="run-lines" aria-hidden="true">
          {numbers}
        </span>
      )}
      <code>{colored}</code>
    </pre>
  );
}

/** The numbers of the lines, below each other. "": there is one line. One text: an element for each line would be too many. */
function lineNumbers(code: string): string {
  const lines = code.split("\n").length - (code.endsWith("\n") ? 1 : 0);
  return lines < 2 ? "" : Array.from({ length: lines }, (_, index) => index + 1).join("\n");
}
