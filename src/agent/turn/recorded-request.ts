import type { ModelParameters, ToolDefinition } from "../model.ts";
import { answerRequest, type TurnRequest } from "./call-model.ts";
import { summaryRequest } from "./compaction.ts";
import { defaultContextTokens } from "./context-window.ts";
import type { AnswerEntry, SummaryEntry, TurnProgress } from "./journal.ts";

/** What every request of a turn contains. `offered`: the tools, in order. */
interface RequestSettings {
  instructions: string;
  parameters?: ModelParameters;
  contextTokens?: number;
  offered: ToolDefinition[];
}

/** The request that the entry records the answer to, as it was sent. `before`: the progress before the entry. */
export function recordedRequest(
  entry: AnswerEntry | SummaryEntry,
  before: TurnProgress,
  settings: RequestSettings,
): TurnRequest {
  if (entry.part === "summary") {
    const contextTokens = entry.contextTokens ?? settings.contextTokens ?? defaultContextTokens;
    return summaryRequest(before.messages.slice(0, entry.messages), contextTokens);
  }
  const tools = isFinalAnswer(entry) ? [] : settings.offered;
  return answerRequest(settings, before.messages, { note: entry.note, truncation: entry.cut, tools });
}

/** Whether a limit was reached: the model was called without tools. */
function isFinalAnswer({ ended }: AnswerEntry): boolean {
  return ended !== undefined && ended !== "answer_length" && ended !== "answer_filtered";
}
