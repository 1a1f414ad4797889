import { formatDuration } from "../../format.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Call, Step } from "../model/run-model-types.ts";
import { toolLabel } from "../text/tool-name.tsx";
import { visibleLine } from "../text/visible.ts";
import type { RunView } from "../view.ts";
import { answerText } from "./ask-words.ts";

/** The recorded answers to the calls of a step: who answered, what, and how long the call waited. */
export function Answers({ step, view }: { step: Step; view: RunView }) {
  void view.version.value;
  return (
    <>
      {step.calls.map((call) => (
        <AnswerLine key={call.index} call={call} />
      ))}
    </>
  );
}

function AnswerLine({ call: { name, asked } }: { call: Call }) {
  const answer = asked?.answer;
  if (!asked || !answer) return null;
  const waited =
    asked.at === undefined || answer.at === undefined ? "" : ` after ${formatDuration(answer.at - asked.at)}`;
  const reason = answer.answer === "deny" ? visibleLine(answer.text.text) : "";
  return (
    <p class="run-missing">
      <Icon name={answer.answer === "deny" || answer.answer === "expired" ? "close" : "check"} />
      <bdi>
        {toolLabel(name)}: {answerText(answer, waited)}
        {reason && `. Reason: ${reason}`}
      </bdi>
    </p>
  );
}
