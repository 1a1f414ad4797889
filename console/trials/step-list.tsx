import { useState } from "preact/hooks";
import { DiffView } from "../run/files/diff-view.tsx";
import { ToolName } from "../run/text/tool-name.tsx";
import { visible, visibleLine } from "../run/text/visible.ts";
import { count } from "../run/text/words.ts";
import { Code } from "../ui/code.tsx";
import { answeredText } from "./answered-text.ts";
import { readable } from "./readable.ts";
import { triedSides } from "./sides.ts";
import type { CaseDetail } from "./trial-calls.ts";

type Step = CaseDetail["steps"][number];
type Answer = Step["recorded"];

/** The recorded steps of a case, each with the answer of the candidate. The first that differs is open. `hasEnded`: of the attempt. */
export function StepList({ steps, hasEnded }: { steps: Step[]; hasEnded: boolean }) {
  const [open, setOpen] = useState(steps.find(({ difference }) => difference !== null)?.step);
  const [left, right] = triedSides.heads;
  return (
    <>
      <header class="panel-head">
        <h2>Steps</h2>
        <span class="muted">{answeredText(steps, hasEnded)}</span>
      </header>
      <div class="pair pair-names" aria-hidden="true">
        <span>{left}</span>
        <span>step</span>
        <span>{right}</span>
      </div>
      <ol class="pairs">
        {steps.map((each) => (
          <li key={each.step} class={each.difference === null ? "equal" : "unequal"}>
            {each.difference !== null && <p class="pair-first">{visibleLine(each.difference)}</p>}
            <button
              type="button"
              class="pair"
              aria-expanded={each.step === open}
              onClick={() => setOpen(each.step === open ? undefined : each.step)}
            >
              <AnswerCell answer={each.recorded} />
              <span class="pair-sign">
                <span class="visually-hidden">step </span>
                {each.step} <b>{signOf(each)}</b>
              </span>
              <AnswerCell answer={each.candidate} />
            </button>
            {each.step === open && <StepDetail step={each} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function signOf({ candidate, difference }: Step): string {
  if (!candidate) return "–";
  return difference === null ? "=" : "≠";
}

/** Null: the candidate has not answered the step. */
function AnswerCell({ answer }: { answer: Answer | null }) {
  if (!answer) {
    return (
      <span class="pair-call missing">
        <span class="visually-hidden">not answered</span>
      </span>
    );
  }
  const [first, ...others] = answer.calls;
  if (!first) {
    return (
      <span class="pair-call">
        Answer <bdi class="sub">{visibleLine(answer.text, 160)}</bdi>
      </span>
    );
  }
  return (
    <span class="pair-call">
      <ToolName name={first.name} />
      <bdi class="sub mono">{visibleLine(first.arguments, 160)}</bdi>
      {others.length > 0 && <span class="badge">and {count(others.length, "call")}</span>}
    </span>
  );
}

function StepDetail({ step: { recorded, candidate, difference } }: { step: Step }) {
  const before = textOf(recorded);
  const after = candidate && textOf(candidate);
  return (
    <div class="pair-detail">
      {after !== null && difference !== null ? (
        <figure class="code">
          <header>Answers, recorded and tried</header>
          <DiffView load={() => Promise.resolve([new Blob([before]), new Blob([after])])} />
        </figure>
      ) : (
        <Code
          wrap
          title={after === null ? "Recorded answer" : "Recorded answer, and an equal one"}
          text={visible(before)}
          copied={before}
        />
      )}
    </div>
  );
}

/** All of an answer: its text, and each call with its arguments. */
function textOf({ text, calls }: Answer): string {
  return [
    ...(text.trim() === "" ? [] : [text]),
    ...calls.map((each) => `${each.name} ${readable(each.arguments)}`),
  ].join("\n\n");
}
