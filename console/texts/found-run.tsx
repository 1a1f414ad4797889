import type { Schemas } from "../api/types.ts";
import { ToolName } from "../run/text/tool-name.tsx";
import { pageUrl } from "../state/url.ts";
import { Status } from "../ui/status.tsx";
import { RelativeTime } from "../ui/time.tsx";

type Found = Schemas["FoundRun"];
type FoundText = Schemas["FoundText"];

const words: Record<FoundText["kind"], string> = {
  input: "Input",
  answer: "Answer",
  reasoning: "Thinking",
  tool_call: "Call",
  tool_result: "Result",
  error: "Error",
};

/** A run with the texts that have the searched words. */
export function FoundRun({ found: { run, texts, more } }: { found: Found }) {
  const { id, name, agent_name: agent, state, status, created_at: created } = run;
  return (
    <li>
      <h2>
        <Status state={state} wire={status} />
        <a href={pageUrl(`runs/${id}`)}>
          <bdi>{name || "deleted run"}</bdi>
        </a>
        <bdi class="muted">{agent}</bdi>
        <span class="muted end">
          <RelativeTime at={created} />
        </span>
      </h2>
      <ul>
        {texts.map((text, index) => (
          <li key={index}>
            <a href={pageUrl(`runs/${id}`, { at: placeOf(text) })}>
              <span class={text.kind === "error" ? "place cut bad" : "place cut"}>
                {words[text.kind]} {text.tool !== null && <ToolName name={text.tool} />}
                <small>{text.step === null ? `Turn ${text.turn}` : `Turn ${text.turn}, step ${text.step}`}</small>
              </span>
              <bdi class="excerpt" dir="auto">
                {text.excerpt.map((part, at) => (part.match ? <mark key={at}>{part.text}</mark> : part.text))}
              </bdi>
            </a>
          </li>
        ))}
        {more && <li class="muted">More in this run.</li>}
      </ul>
    </li>
  );
}

/** The place of a text in the address of its run: that of an input is the first step of its turn. Undefined: it belongs to no step. */
function placeOf({ kind, turn, step, call }: FoundText): string | undefined {
  if (step === null) return kind === "input" ? `${turn}.1` : undefined;
  return call === null ? `${turn}.${step}` : `${turn}.${step}.${call + 1}`;
}
