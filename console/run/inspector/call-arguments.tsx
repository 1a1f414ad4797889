import { useState } from "preact/hooks";
import type { Call, Step } from "../model/run-model-types.ts";
import { languageOfArgument, languageOfText } from "../text/code-language.ts";
import { CodeText } from "../text/code-text.tsx";
import { LoadMore } from "../text/load-more.tsx";
import { useFullText } from "../text/use-full-text.ts";
import { visible, visibleLine } from "../text/visible.ts";
import type { RunView } from "../view.ts";
import { FactTable } from "./facts.tsx";
import { indented, shownArguments } from "./shown-arguments.ts";
import { Segments } from "../../ui/fields/segments.tsx";

/** The arguments of a call. Texts with line breaks, such as programs, are shown as they are. */
export function CallArguments({ call, step, view }: { call: Call; step: Step; view: RunView }) {
  void view.version.value;
  const path = `tool_calls.${call.index}.arguments`;
  const shown = useFullText(view.texts, { loaded: call.arguments, sequence: step.sequence, path });
  const [format, setFormat] = useState<"text" | "json">("text");
  const values = format === "text" ? shownArguments(shown.text) : undefined;
  const file = values?.find(({ name }) => name === "name")?.text;
  const options: ["text" | "json", string][] = [
    ["text", "Text"],
    ["json", "JSON"],
  ];
  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>Arguments</h3>
        <Segments label="Show arguments as" options={options} value={format} onChange={setFormat} />
      </div>
      {call.sent !== undefined && (
        <p class="muted">
          The model sent <bdi class="mono">{visibleLine(call.sent)}</bdi>, which was repaired.
        </p>
      )}
      {values === undefined && <CodeText title="JSON" text={shown.text} shown={indented(shown.text)} language="json" />}
      {values?.length === 0 && <p class="muted">none</p>}
      {values?.some(({ block }) => !block) && (
        <FactTable
          facts={values
            .filter(({ block }) => !block)
            .map(({ name, text }) => [visible(name), <bdi class="mono">{visible(text)}</bdi>])}
        />
      )}
      {values
        ?.filter(({ block }) => block)
        .map(({ name, text }) => (
          <CodeText
            title={`${visible(name)}, ${linesOf(text)}`}
            text={text}
            language={languageOfArgument(call.name, name, file) ?? languageOfText(text)}
            wrapped={!text.includes("\n")}
          />
        ))}
      <LoadMore shown={shown} />
    </section>
  );
}

function linesOf(text: string): string {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return `${lines.toLocaleString("en")} line${lines === 1 ? "" : "s"}`;
}
