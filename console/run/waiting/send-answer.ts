import { useState } from "preact/hooks";
import { ApiError, call } from "../../api/client.ts";
import type { OpenCall, Schemas } from "../../api/types.ts";
import { readWaiting } from "../../state/waiting.ts";
import { toast } from "../../ui/dialogs/toast.tsx";

/** An answer without the call that it answers. */
export type Answer = Omit<Schemas["AnswerCallRequest"], "call" | "arguments_sha256">;

/** Errors that say that what the card shows is out of date: it is read again. */
const outdated = new Set(["already_answered", "arguments_changed", "call_not_found", "run_ended"]);

/** A card's way to answer its call. */
export interface Answering {
  /** The answer that is being sent. */
  sending: Answer | undefined;
  /** Why the last answer was not accepted. */
  problem: string | undefined;
  send: (answer: Answer) => Promise<void>;
}

/** Sends the answer to a call of a run. `onChanged`: reads the open calls again. */
export function useAnswer(
  runId: string,
  { id, arguments_sha256 }: OpenCall,
  onChanged: () => Promise<void>,
): Answering {
  const [sending, setSending] = useState<Answer>();
  const [problem, setProblem] = useState<string>();
  const send = async (answer: Answer): Promise<void> => {
    if (sending) return;
    setSending(answer);
    setProblem(undefined);
    try {
      await call("answer_call", { run_id: runId }, { body: { call: id, arguments_sha256, ...answer } });
      await changed();
    } catch (error) {
      if (error instanceof ApiError && outdated.has(error.code)) {
        toast(sentence(error.message));
        await changed();
      } else setProblem(sentence((error as Error).message));
    } finally {
      setSending(undefined);
    }
  };
  const changed = async (): Promise<void> => {
    await Promise.all([onChanged(), readWaiting().catch(() => undefined)]); // both are repeated anyway
  };
  return { sending, problem, send };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
