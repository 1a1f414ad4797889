import type { OpenCall } from "../../api/types.ts";
import { consequence } from "./ask-words.ts";
import type { Answering } from "./send-answer.ts";

/** What the part of a card with the buttons gets. */
export interface ControlsProps {
  call: OpenCall;
  answering: Answering;
  /** Why the reader cannot answer now. */
  reason: string | undefined;
}

/** The last lines of a card: why nothing can be pressed, or why an answer was not accepted. */
export function CardNotes({ answering: { problem }, reason }: Pick<ControlsProps, "answering" | "reason">) {
  return (
    <>
      {reason !== undefined && <p class="sub">{reason}</p>}
      {problem !== undefined && (
        <p class="sub bad" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** What an answer does, and what happens without one. */
export function Consequence({ call }: { call: OpenCall }) {
  return <p class="say">{consequence(call)}</p>;
}
