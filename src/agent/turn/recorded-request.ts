import type { ModelParameters } from "../model.ts";
import { type OfferedTool, definitionOf } from "../tools/tool.ts";
import { answerRequest } from "./call-model.ts";
import type { TurnRequest } from "./request-answer.ts";
import { defaultContextTokens } from "./history/context-window.ts";
import { namesResults } from "./history/left-out-results.ts";
import type { AnswerEntry, FailedEntry, SummaryEntry, TurnProgress } from "./journal.ts";
import { withoutRefused } from "./refused-tools.ts";
import { summaryRequest } from "./history/summary-request.ts";

/** What every request of a turn contains. `offered`: the tools, in order. */
interface RequestSettings {
  instructions: string;
  parameters?: ModelParameters;
  contextTokens?: number;
  resultSchema?: object;
  offered: OfferedTool[];
}

/** The request that the entry records the answer to, or the failure of, as it was sent. `before`: the progress before the entry. */
export function recordedRequest(
  entry: AnswerEntry | SummaryEntry | FailedEntry,
  before: TurnProgress,
  settings: RequestSettings,
): TurnRequest {
  if (entry.part === "summary") {
    const contextTokens = entry.contextTokens ?? settings.contextTokens ?? defaultContextTokens;
    const { inputAt } = before;
    return summaryRequest({ messages: before.messages.slice(0, entry.messages), inputAt, contextTokens }, entry);
  }
  const withoutTools = entry.part === "failed" ? entry.noTools : isFinalAnswer(entry);
  const offered = settings.offered.filter(({ when }) => when === undefined || namesResults(before, entry.cut));
  const tools = withoutTools ? [] : withoutRefused(offered, before.refused, entry.refused).map(definitionOf);
  return answerRequest(settings, before, { note: entry.note, truncation: entry.cut, tools });
}

/** Whether a limit was reached: the model was called without tools. */
export function isFinalAnswer({ ended }: AnswerEntry): boolean {
  return ended !== undefined && ended !== "answer_length" && ended !== "answer_filtered";
}
