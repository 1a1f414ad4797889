import type { ComponentChildren } from "preact";
import { formatDollars, formatDuration, formatNumber } from "../../../format.ts";
import type { LoadedText, Step } from "../../model/run-model-types.ts";
import { useFullText } from "../../text/use-full-text.ts";
import { visible, visibleLine } from "../../text/visible.ts";
import { count, waitsOf, waitText } from "../../text/words.ts";
import type { RunView } from "../../view.ts";
import { FactTable, notRecorded, StartedAt } from "../facts.tsx";
import { FormatSegments, TextView, useTextFormat } from "../text-view.tsx";

/** The model call of a step: facts, failed attempts and the answer's text. */
export function ModelCall({ step, view, heading }: { step: Step; view: RunView; heading: string | undefined }) {
  void view.version.value;
  const shown = useFullText(view.texts, { loaded: step.text, sequence: step.sequence, path: "text" });
  const [format, setFormat] = useTextFormat();
  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>{heading ?? "Model call"}</h3>
      </div>
      <FactTable
        facts={
          step.answered
            ? answerFacts(step)
            : [["Model", view.running.value ? "has not answered yet" : "did not answer"]]
        }
      />
      {step.attempts.length > 0 && <Attempts step={step} running={view.running.value} />}
      {step.reasoning && <Reasoning step={step} reasoning={step.reasoning} view={view} />}
      {step.text.length > 0 && (
        <>
          <div class="run-section-head">
            <h3>Text</h3>
            <FormatSegments label="Show text as" value={format} onChange={setFormat} />
          </div>
          <TextView shown={shown} format={format} prose />
        </>
      )}
      {step.note !== undefined && (
        <details class="run-details">
          <summary>Note of the service to the model</summary>
          <pre class="code-body">{visible(step.note)}</pre>
        </details>
      )}
    </section>
  );
}

/** What the model thought before its answer. */
function Reasoning({ step, reasoning, view }: { step: Step; reasoning: LoadedText; view: RunView }) {
  const shown = useFullText(view.texts, { loaded: reasoning, sequence: step.sequence, path: "reasoning" });
  const [format, setFormat] = useTextFormat();
  return (
    <>
      <div class="run-section-head">
        <h3>{step.reasoningMs === undefined ? "Thinking" : `Thinking, ${formatDuration(step.reasoningMs)}`}</h3>
        <FormatSegments label="Show thinking as" value={format} onChange={setFormat} />
      </div>
      <TextView shown={shown} format={format} prose />
    </>
  );
}

type Fact = [string, ComponentChildren];

function answerFacts(step: Step): Fact[] {
  const { usage, model, startedAt, milliseconds, firstTokenMs, dollars, finishReason, truncatedResults } = step;
  const cached = usage?.cached_input_tokens;
  const tokens = usage && [
    `${formatNumber(usage.input_tokens)} in`,
    ...(cached ? [`${formatNumber(cached)} of it from cache`] : []),
    `${formatNumber(usage.output_tokens)} out`,
    ...(usage.reasoning_tokens ? [`${formatNumber(usage.reasoning_tokens)} of it reasoning`] : []),
  ];
  return [
    ["Model", model === undefined ? notRecorded : <bdi class="mono">{visibleLine(model, 120)}</bdi>],
    ["Tokens", tokens ? `${step.estimated ? "not reported, about " : ""}${tokens.join(", ")}` : "not known"],
    ["Cost", dollars === undefined ? notRecorded : `${step.estimated ? "about " : ""}${formatDollars(dollars, 4)}`],
    ["Started", <StartedAt at={startedAt} />],
    ["Took", milliseconds === undefined ? notRecorded : formatDuration(milliseconds)],
    ["First token after", firstTokenMs === undefined ? notRecorded : formatDuration(firstTokenMs)],
    ["Stopped because", stopReasons[finishReason ?? ""] ?? finishReason ?? notRecorded],
    ...(truncatedResults === undefined
      ? []
      : [["Truncated", `results in ${count(truncatedResults, "message")} from the first one`] as Fact]),
  ];
}

const stopReasons: Record<string, string> = {
  stop: "the answer is complete",
  "tool-calls": "it calls tools",
  length: "it reached the maximum of output tokens",
  "content-filter": "the provider's content filter cut it",
};

/** Failed attempts of the model call. Those with the same message in a row are one. */
function Attempts({ step, running }: { step: Step; running: boolean }) {
  return (
    <ol class="run-attempts">
      {waitsOf(step, running).map((group) => (
        <li>
          <span class="badge bad">{group.category}</span> <bdi>{visible(group.title)}</bdi>{" "}
          <span class="muted">{waitText(group, formatDuration)}</span>
        </li>
      ))}
    </ol>
  );
}
