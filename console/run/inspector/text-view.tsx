import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { languageOfText } from "../text/code-language.ts";
import { CodeText } from "../text/code-text.tsx";
import { LoadMore } from "../text/load-more.tsx";
import { MarkdownText } from "../text/markdown-text.tsx";
import type { ShownText } from "../text/use-full-text.ts";
import { indented } from "./shown-arguments.ts";
import { Segments } from "../../ui/fields/segments.tsx";

export type TextFormat = "text" | "markdown" | "json";

const formats: [TextFormat, string][] = [
  ["text", "Text"],
  ["markdown", "Markdown"],
  ["json", "JSON"],
];

/** Chooses how a text is shown. Text first: it is what was recorded. */
export function useTextFormat(): [TextFormat, (format: TextFormat) => void] {
  return useState<TextFormat>("text");
}

interface FormatProps {
  label: string;
  value: TextFormat;
  onChange: (format: TextFormat) => void;
}

export function FormatSegments({ label, value, onChange }: FormatProps) {
  return <Segments label={label} options={formats} value={value} onChange={onChange} />;
}

interface TextProps {
  shown: ShownText;
  format: TextFormat;
  /** It is prose or an error, so its lines wrap at first. So does a single line. */
  prose?: boolean;
}

/** A text of the run as text, Markdown or JSON. */
export function TextView({ shown, format, prose = false }: TextProps) {
  const title = `${formatNumber(shown.length)} character${shown.length === 1 ? "" : "s"}`;
  if (format !== "markdown") {
    const text = format === "json" ? indented(shown.text) : shown.text;
    const wrapped = format === "text" && (prose || !text.trimEnd().includes("\n"));
    return (
      <>
        <CodeText
          key={format}
          title={title}
          text={shown.text}
          shown={text}
          language={prose ? undefined : languageOfText(text)}
          wrapped={wrapped}
        />
        <LoadMore shown={shown} />
      </>
    );
  }
  return (
    <>
      <div class="code">
        <header>
          {title}
          <CopyButton text={shown.text} kind="plain" />
        </header>
        <div class="run-prose">
          <MarkdownText text={shown.text} />
        </div>
      </div>
      <LoadMore shown={shown} />
    </>
  );
}
