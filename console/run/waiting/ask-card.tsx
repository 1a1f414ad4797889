import { useRef } from "preact/hooks";
import type { OpenCall } from "../../api/types.ts";
import { blocked } from "../../state/blocked.ts";
import { Icon } from "../../ui/icon.tsx";
import { useNow } from "../../ui/time.tsx";
import { toolLabel, ToolName } from "../text/tool-name.tsx";
import { Approval } from "./approval.tsx";
import { AskArguments } from "./ask-arguments.tsx";
import { useOnScreen } from "./ask-keys.ts";
import { askKinds } from "./ask-kinds.ts";
import { expiredText } from "./ask-words.ts";
import { ClientTool } from "./client-tool.tsx";
import { Question } from "./question.tsx";
import { useAnswer } from "./send-answer.ts";
import { isSoon, leftText } from "./time-left.ts";

export interface AskedRun {
  id: string;
  organization_id: string;
}

interface AskCardProps {
  run: AskedRun;
  call: OpenCall;
  /** Its button is the primary one of the page. */
  isPrimary: boolean;
  onChanged: () => Promise<void>;
}

/** A call that waits: what it is, its exact arguments, what an answer does, and the buttons. */
export function AskCard({ run, call, isPrimary, onChanged }: AskCardProps) {
  const card = useRef<HTMLElement>(null);
  useOnScreen(card);
  const answering = useAnswer(run.id, call, onChanged);
  const left = Date.parse(call.until) - useNow();
  const { word, icon } = askKinds[call.kind];
  const reason = blocked("answer calls", run.organization_id);
  const controls = { call, answering, reason };
  return (
    <article
      ref={card}
      class={`ask ${left <= 0 ? "expired" : call.kind}`}
      data-ask={call.id}
      tabIndex={0}
      aria-label={`${word}: ${toolLabel(call.name)}`}
    >
      <header>
        <Icon name={icon} />
        <strong>{word}</strong>
        {call.kind === "question" ? <span class="cut">from the agent</span> : <ToolName name={call.name} />}
        <span class={left > 0 && isSoon(left) ? "end soon" : "end"}>
          {left > 0 ? `${leftText(left)} left` : "time is over"}
        </span>
      </header>
      {call.kind !== "question" && <AskArguments text={call.arguments} />}
      {left <= 0 ? (
        <p class="say">{expiredText(call)}</p>
      ) : call.kind === "approval" ? (
        <Approval {...controls} isPrimary={isPrimary} />
      ) : call.kind === "question" ? (
        <Question {...controls} />
      ) : (
        <ClientTool {...controls} />
      )}
    </article>
  );
}
