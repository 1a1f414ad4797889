import { hash } from "node:crypto";
import { withServerInstructions } from "../../agent/mcp/instructions.ts";
import type { Failure, Model, ModelAnswer, ModelRequest } from "../../agent/model.ts";
import type { AnswerEntry, JournalEntry, SummaryEntry } from "../../agent/turn/journal.ts";
import { readMemory } from "../../agent/turn/summary-text.ts";
import { modelAsked, type TurnConfiguration } from "../../runs/turn-configuration.ts";
import type { Run, RunJournalEntry } from "../../runs/types.ts";
import { cacheKeyOf } from "./cache-key.ts";

/** A recorded model call that has an answer. */
export type RecordedCall = AnswerEntry | SummaryEntry;

/** The model calls of a journal that have an answer. Failed ones are left out: they change nothing of a request. */
export function callsIn<Entry extends JournalEntry>(entries: Entry[]): (Entry & RecordedCall)[] {
  return entries.filter((entry): entry is Entry & RecordedCall => entry.part === "answer" || entry.part === "summary");
}

/**
 * A model that answers with what is recorded, in its order. Of each request, it records the hash of the body that would be sent, in the
 * form in which the server accepted the recorded one. A request of another kind than the recorded one fails.
 */
export function recordedModel(
  run: Run,
  entries: RunJournalEntry[],
  configuration: TurnConfiguration,
  own: RunJournalEntry[],
): Model {
  const calls = callsIn(entries);
  let next = callsIn(own).length;
  const instructions = withServerInstructions(configuration.agent.instructions, configuration.offered);
  return async (request) => {
    const call = calls[next];
    const kind = request.instructions === instructions ? "answer" : "summary";
    if (call?.part !== kind) return { failure: otherCall(kind, call) };
    next++;
    const sent = call.sent?.at(-1);
    if (sent) {
      const { sha256: _, bytes: __, status: ___, requestId: ____, ...form } = sent;
      const body = await bodyOf(request, configuration, { ...form, compat: sent.compat ?? {} }, cacheKeyOf(run));
      if (body !== undefined) {
        request.onSent?.({ ...form, sha256: hash("sha256", body), bytes: Buffer.byteLength(body) });
      }
    }
    if (call.part === "summary") return { answer: summaryOf(call) };
    return { answer: call.answer, ...(call.window !== undefined && { contextWindow: call.window }) };
  };
}

async function bodyOf(
  request: ModelRequest,
  configuration: TurnConfiguration,
  form: Parameters<typeof import("../../agent/models/wire-request.ts").wireRequest>[3],
  cacheKey: string,
): Promise<string | undefined> {
  const { provider, choice } = modelAsked(configuration, false);
  if (!provider) return undefined;
  const { wireRequest } = await import("../../agent/models/wire-request.ts"); // loads the SDK of the providers
  return (await wireRequest(provider, choice.model, { ...request, cacheKey }, form))?.body;
}

function summaryOf({ text, usage }: SummaryEntry): ModelAnswer {
  return { text: readMemory(text).summary, toolCalls: [], finishReason: "stop", usage };
}

/** What to do about a replay that left the record: it has no rules for that. */
export const compareBothRuns = "Compare the recorded run with the run of the attempt.";

function otherCall(kind: RecordedCall["part"], recorded: RecordedCall | undefined): Failure {
  const asked = kind === "answer" ? "an answer" : "a summary";
  const has = recorded
    ? `the record has ${recorded.part === "answer" ? "an answer" : "a summary"} there`
    : "the recorded turn has ended there";
  return {
    category: "left_record",
    title: `The engine asks for ${asked}, and ${has}.`,
    remedy: compareBothRuns,
    retryable: false,
  };
}
