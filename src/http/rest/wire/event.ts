import { answerText, argumentsText } from "../../../agent/asks.ts";
import type { Attachment, ToolCall } from "../../../agent/model.ts";
import { reasoningText } from "../../../agent/reasoning.ts";
import type { FileVersion } from "../../../agent/turn/files/manifest.ts";
import { startOf } from "../../../runs/text.ts";
import type { RunEvent, RunJournalEntry } from "../../../runs/run-types.ts";
import type { SharedSchemas } from "../schemas/schema-types.ts";
import { timeOf } from "./time.ts";
import { wireUsageFields } from "./token-usage.ts";

type WireEvent = SharedSchemas["Event"];

/**
 * An event as the API sends it. With `maxText`, longer texts are cut to this number of characters, and `cut` has their full
 * lengths. The provider's original message (`echo`) and contents of attachments are never sent. `answerer`: the name of who
 * gave an answer.
 */
export function wireEvent(event: RunEvent, maxText = Infinity, answerer: string | null = null): WireEvent {
  const cut: Record<string, number> = {};
  const short = (path: string, text: string): string => {
    if (text.length <= maxText) return text;
    cut[path] = text.length;
    return startOf(text, maxText);
  };
  const stamp = { sequence: event.sequence ?? null, at: timeOf(event.at), turn: event.turn };
  const release = "part" in event && event.release !== undefined ? { release: event.release } : {};
  const wire = { ...stamp, ...release, ...bodyOf(event, short, answerer) } as WireEvent;
  return Object.keys(cut).length > 0 ? { ...wire, cut } : wire;
}

/** Cuts a text. `path`: of its field. */
type Shorten = (path: string, text: string) => string;

type Unstamped<Event> = Event extends WireEvent ? Omit<Event, "sequence" | "at" | "turn" | "release" | "cut"> : never;

function bodyOf(event: RunEvent, short: Shorten, answerer: string | null): Unstamped<WireEvent> {
  if ("part" in event) return entryBody(event, short, answerer);
  const text = short("text", event.text);
  return event.role === "output_from_agent"
    ? { type: "output", text }
    : { type: "input", text, agent_version: event.agentVersion ?? null, started_by: event.startedBy?.kind ?? null };
}

function entryBody(entry: RunJournalEntry, short: Shorten, answerer: string | null): Unstamped<WireEvent> {
  const { step } = entry;
  switch (entry.part) {
    case "answer":
      return answerBody(entry, short);
    case "began":
      return { type: "tool_started", step, call: entry.call };
    case "asked":
      return {
        type: "call_asked",
        step,
        call: entry.call,
        name: entry.name ?? null,
        kind: entry.kind,
        until: timeOf(entry.until),
      };
    case "answered":
      return answeredBody(entry, short, answerer);
    case "result": {
      const { call, result, milliseconds, files = [], system, structured } = entry;
      return {
        type: "tool_result",
        step,
        call,
        name: result.name,
        text: short("text", result.text),
        is_error: result.error === true,
        milliseconds: wireNumber(milliseconds),
        files: files.filter(({ kind }) => kind !== "folder").map(wireFile),
        attachments: wireAttachments(result.attachments),
        ...(system && { system: { kind: system.kind, digest: system.digest ?? null } }),
        ...(structured !== undefined && { structured: short("structured", structured) }),
      };
    }
    case "summary": {
      const { text, messages, throughTurn, usage, milliseconds, dollars } = entry;
      return {
        type: "summary",
        step,
        text: short("text", text),
        messages,
        through_turn: throughTurn,
        ...wireUsageFields(usage, dollars),
        milliseconds: wireNumber(milliseconds),
        ...wireFallback(entry, short),
      };
    }
    case "failed": {
      const { failure, attempt, milliseconds, waitMs, last, usage, dollars } = entry;
      return {
        type: "model_call_failed",
        step,
        category: failure.category,
        title: short("title", failure.title),
        attempt,
        milliseconds: Math.round(milliseconds),
        wait_ms: wireNumber(waitMs),
        last: last === true,
        ...wireUsageFields(usage, dollars),
        ...wireFallback(entry, short),
      };
    }
    case "forked":
      return { type: "forked", step, from_run: entry.from };
    case "resumed": {
      const { instance, reason, calls } = entry;
      return {
        type: "resumed",
        step,
        instance,
        reason,
        repeats: calls ? "tool_calls" : "model_call",
        calls: calls ?? [],
      };
    }
  }
}

function answeredBody(
  { step, call, name, answer, by }: Extract<RunJournalEntry, { part: "answered" }>,
  short: Shorten,
  answerer: string | null,
): Unstamped<SharedSchemas["CallAnsweredEvent"]> {
  const text = answerText(answer);
  return {
    type: "call_answered",
    step,
    call,
    name: name ?? null,
    answer: answer.kind,
    text: text === undefined ? null : short("text", text),
    files: ("files" in answer ? (answer.files ?? []) : []).map(wireFile),
    answered_by: by?.kind ?? null,
    answered_by_name: answerer,
  };
}

type AnswerEntry = Extract<RunJournalEntry, { part: "answer" }>;

function answerBody(entry: AnswerEntry, short: Shorten): Unstamped<SharedSchemas["ModelCallEvent"]> {
  const { step, answer, note, cut, ended, checked, model, milliseconds, firstTokenMs, dollars } = entry;
  const { configuration, agentVersion } = entry;
  const reasoning = reasoningText(answer);
  return {
    type: "model_call",
    step,
    text: short("text", answer.text),
    reasoning: reasoning === undefined ? null : short("reasoning", reasoning),
    reasoning_ms: wireNumber(answer.reasoning?.milliseconds),
    tool_calls: answer.toolCalls.map((call, index) => {
      const { arguments: text, sent_arguments: sent, ...others } = wireToolCall(call);
      const place = `tool_calls.${index}`;
      return {
        ...others,
        arguments: short(`${place}.arguments`, text),
        ...(sent !== undefined && { sent_arguments: short(`${place}.sent_arguments`, sent) }),
      };
    }),
    model: model ?? null,
    finish_reason: answer.finishReason,
    ended: ended ?? null,
    ...wireUsageFields(answer.usage, dollars),
    milliseconds: wireNumber(milliseconds),
    first_token_ms: wireNumber(firstTokenMs),
    result_problems: checked ? (checked.problems ?? []) : null,
    note: note === undefined ? null : short("note", note),
    configuration: configuration ?? null,
    agent_version: agentVersion ?? null,
    truncated_results: cut?.results ?? null,
    ...wireFallback(entry, short),
  };
}

function wireFallback(
  { fallback }: Pick<AnswerEntry, "fallback">,
  short: Shorten,
): Pick<SharedSchemas["ModelCallEvent"], "fallback"> {
  if (!fallback) return {};
  const { model, configuration, failure } = fallback;
  const title = short("fallback.title", failure.title);
  return {
    fallback: { model: model ?? null, configuration: configuration ?? null, category: failure.category, title },
  };
}

export function wireToolCall({ name, sent = {}, ...call }: Omit<ToolCall, "id">): SharedSchemas["ToolCall"] {
  return {
    name,
    arguments: argumentsText(call),
    ...(sent.name !== undefined && { sent_name: sent.name }),
    ...(sent.json !== undefined && { sent_arguments: sent.json }),
  };
}

export function wireAttachments(attachments: Attachment[] = []): SharedSchemas["ToolResultEvent"]["attachments"] {
  return attachments.map(({ name, mediaType, sha256 }) => ({ name, media_type: mediaType, sha256: sha256 ?? null }));
}

function wireFile({
  name,
  size,
  sha256,
  deleted,
  kind,
}: FileVersion): SharedSchemas["ToolResultEvent"]["files"][number] {
  return { name, size, sha256: sha256 ?? null, ...(deleted && { deleted }), ...(kind === "link" && { kind }) };
}

/** A whole number. Null: not recorded. */
function wireNumber(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}
