import { ToolName } from "../run/text/tool-name.tsx";
import { visibleLine } from "../run/text/visible.ts";
import { count } from "../run/text/words.ts";
import { answeredText } from "./answered-text.ts";
import { Compared, PairText } from "./case-pairs.tsx";
import { Pairs } from "./pairs.tsx";
import { readable } from "./readable.ts";
import { triedSides } from "./sides.ts";
import type { CaseDetail } from "./trial-calls.ts";

type Step = CaseDetail["steps"][number];
type Answer = Step["recorded"];

/** The recorded steps of a case, each with the answer of the candidate. The first that differs is open. `hasEnded`: of the attempt. */
export function StepList({ steps, hasEnded }: { steps: Step[]; hasEnded: boolean }) {
  return (
    <Pairs
      title="Steps"
      noun="step"
      verb="answered"
      heads={triedSides.heads}
      summary={() => answeredText(steps, hasEnded)}
      first={steps.findIndex(({ difference }) => difference !== null)}
      pairs={steps.map(({ step, recorded, candidate, difference }) => ({
        same: difference === null,
        cells: [<AnswerCell answer={recorded} />, candidate && <AnswerCell answer={candidate} />],
        sign: (
          <>
            {step} <b>{candidate ? (difference === null ? "=" : "≠") : "–"}</b>
          </>
        ),
        note: difference !== null && visibleLine(difference),
        detail: () =>
          candidate && difference !== null ? (
            <Compared title="Answers, recorded and tried" before={textOf(recorded)} after={textOf(candidate)} />
          ) : (
            <PairText
              title={candidate ? "Recorded answer, and an equal one" : "Recorded answer"}
              text={textOf(recorded)}
            />
          ),
      }))}
    />
  );
}

function AnswerCell({ answer }: { answer: Answer }) {
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

/** All of an answer: its text, and each call with its arguments. */
function textOf({ text, calls }: Answer): string {
  return [
    ...(text.trim() === "" ? [] : [text]),
    ...calls.map((each) => `${each.name} ${readable(each.arguments)}`),
  ].join("\n\n");
}
