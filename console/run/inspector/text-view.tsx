import { useState } from "preact/hooks";
import { formatNumber } from "../../format.ts";
import { Code } from "../../ui/code.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LoadMore } from "../text/load-more.tsx";
import { MarkdownText } from "../text/markdown-text.tsx";
import type { ShownText } from "../text/use-full-text.ts";
import { visible } from "../text/visible.ts";
import { indented } from "./shown-arguments.ts";
import { Segments } from "../../ui/segments.tsx";

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

/** A text of the run as text, Markdown or JSON. */
export function TextView({ shown, format }: { shown: ShownText; format: TextFormat }) {
  const title = `${formatNumber(shown.length)} character${shown.length === 1 ? "" : "s"}`;
  if (format !== "markdown") {
    const text = format === "json" ? indented(shown.text) : shown.text;
    return (
      <>
        <Code title={title} text={visible(text)} copied={shown.text} />
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
