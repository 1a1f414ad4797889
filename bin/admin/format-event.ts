import { nameStarter, starterName } from "../../src/accounts/starter.ts";
import type { Accounts } from "../../src/accounts/types.ts";
import { answerText } from "../../src/agent/asks.ts";
import { exactInput, type TokenUsage } from "../../src/agent/model.ts";
import { reasoningText } from "../../src/agent/reasoning.ts";
import type { AskedFallback } from "../../src/agent/turn/journal.ts";
import type { FileVersion } from "../../src/agent/turn/manifest.ts";
import { toolNotesIn } from "../../src/agent/turn/tool-notes.ts";
import { callId } from "../../src/runs/read/open-calls.ts";
import type { RunEvent, RunJournalEntry, TurnMessage } from "../../src/runs/types.ts";
import { printableLine } from "../printable.ts";
import { problemText } from "../../src/results/types.ts";
import { indented, isoTime, type Output } from "./output.ts";

/**
 * An event as `--json` prints it. `event` is the name of the event in the log. `sequence` and `at` are null for events of
 * earlier versions. Texts are truncated to `maxTextLength` characters.
 */
type PrintedEvent = { turn: number; step?: number; event: string } & Record<string, unknown>;

const maxTextLength = 300;

export function eventOutput(event: RunEvent, answerer?: string): Output {
  const { sequence = null, at } = event;
  const printed = "part" in event ? journalEvent(event, answerer) : messageEvent(event);
  const time = at === undefined ? null : isoTime(at);
  const number = sequence === null ? "unnumbered" : `#${sequence}`;
  return {
    text: `${time ?? "time unknown"}  ${number}  ${eventText(printed)}`,
    json: { sequence, at: time, ...printed },
  };
}

/** The name of the person or program whose answer an event records. Undefined: there is none. */
export async function answererOf(accounts: Pick<Accounts, "findKey">, event: RunEvent): Promise<string | undefined> {
  const by = "part" in event && event.part === "answered" ? event.by : undefined;
  return by && starterName(await nameStarter(accounts, by));
}

function askedEvent({ turn, step, call, kind, until }: AskedEntry): PrintedEvent {
  return { turn, step, event: "call-asked", call, id: callId({ turn, step, call }), kind, until: isoTime(until) };
}

type AskedEntry = Extract<RunJournalEntry, { part: "asked" }>;

function answeredEvent({ turn, step, call, answer, by }: AnsweredEntry, name: string | undefined): PrintedEvent {
  const text = answerText(answer);
  const said = text === undefined ? undefined : truncated(text);
  const id = callId({ turn, step, call });
  const who = { answered_by: by?.kind, answered_by_name: name };
  return { turn, step, event: "call-answered", call, id, answer: answer.kind, ...who, text: said };
}

/** Fields of a call to the fallback: its configuration or model, and the failure before it. */
function fallbackOf({ fallback }: { fallback?: AskedFallback }) {
  if (!fallback) return {};
  const { configuration, model, failure } = fallback;
  return { fallback: configuration ?? model ?? "yes", fallback_because: failure.title };
}

type AnsweredEntry = Extract<RunJournalEntry, { part: "answered" }>;

function messageEvent({ turn, role, text, startedBy }: TurnMessage): PrintedEvent {
  const event = role === "input_to_agent" ? "input-accepted" : "turn-finished";
  return { turn, event, started_by: startedBy?.kind, text: truncated(text) };
}

function journalEvent(entry: RunJournalEntry, answerer: string | undefined): PrintedEvent {
  const { turn, step } = entry;
  switch (entry.part) {
    case "answer": {
      const { answer, model, milliseconds, dollars, ended, window, note, checked } = entry;
      const reasoning = reasoningText(answer);
      return {
        turn,
        step,
        event: "model-call-completed",
        model,
        ...fallbackOf(entry),
        milliseconds,
        dollars,
        ...tokensOf(answer.usage),
        context_window: window,
        stop_reason: answer.finishReason,
        finish_reason: ended,
        result_problems: checked?.problems && nonEmpty(checked.problems.map(problemText)),
        tool_notes: nonEmpty(toolNotesIn(note)),
        reasoning: reasoning === undefined ? undefined : truncated(reasoning),
        text: truncated(answer.text),
        tool_calls: answer.toolCalls.map((call) => ({
          name: call.name,
          input: truncated(JSON.stringify(exactInput(call))),
        })),
      };
    }
    case "summary": {
      const { usage, milliseconds, dollars, messages, text } = entry;
      return {
        turn,
        step,
        event: "conversation-compacted",
        ...fallbackOf(entry),
        messages,
        milliseconds,
        dollars,
        ...tokensOf(usage),
        text: truncated(text),
      };
    }
    case "failed": {
      const { failure, attempt, milliseconds, waitMs, usage, dollars } = entry;
      return {
        turn,
        step,
        event: "model-call-failed",
        ...fallbackOf(entry),
        category: failure.category,
        title: failure.title,
        attempt,
        milliseconds,
        wait_ms: waitMs,
        dollars,
        ...(usage && tokensOf(usage)),
      };
    }
    case "resumed":
      return { turn, step, event: "turn-resumed", reason: entry.reason, instance: entry.instance, calls: entry.calls };
    case "forked":
      return { turn, step, event: "run-forked", from: entry.from };
    case "asked":
      return askedEvent(entry);
    case "answered":
      return answeredEvent(entry, answerer);
    case "began":
      return { turn, step, event: "tool-call-started", call: entry.call };
    case "result": {
      const { call, milliseconds, result, files, manifest } = entry;
      return {
        turn,
        step,
        event: "tool-call-completed",
        call,
        name: result.name,
        milliseconds,
        error: result.error === true,
        changed_files: files,
        manifest,
        text: truncated(result.text),
      };
    }
  }
}

/** An event as a line for people. The model's text and tool calls follow, indented. */
function eventText({ turn, step, event, ...more }: PrintedEvent): string {
  const at = step === undefined ? `turn ${turn}` : `turn ${turn}, step ${step}`;
  const toolNotes = (more["tool_notes"] ?? []) as string[];
  const problems = (more["result_problems"] ?? []) as string[];
  const calls = (more["tool_calls"] ?? []) as { name: string; input: string }[];
  const facts: (string | false)[] = [
    event.replaceAll("-", " "),
    typeof more["id"] === "string" && more["id"],
    typeof more["from"] === "string" && `from run ${more["from"]}`,
    typeof more["kind"] === "string" && `${more["kind"]}, until ${String(more["until"])}`,
    typeof more["answer"] === "string" &&
      `${more["answer"]}, by ${[more["answered_by"] ?? "nobody", more["answered_by_name"]].join(" ").trim()}`,
    typeof more["model"] === "string" && more["model"],
    typeof more["fallback"] === "string" && `fallback ${more["fallback"]}`,
    typeof more["name"] === "string" && `${more["name"]} (call ${Number(more["call"]) + 1})`,
    more["error"] === true && "with an error",
    typeof more["category"] === "string" && `${more["category"]}: ${String(more["title"])}`,
    typeof more["wait_ms"] === "number" && `next attempt in ${more["wait_ms"]} ms`,
    ...changesText((more["changed_files"] ?? []) as FileVersion[]),
    typeof more["messages"] === "number" && `${more["messages"]} messages`,
    typeof more["milliseconds"] === "number" && `${more["milliseconds"]} ms`,
    typeof more["input_tokens"] === "number" && tokensText(more),
    typeof more["dollars"] === "number" && `$${more["dollars"].toFixed(6)}`,
    typeof more["finish_reason"] === "string" && `finish reason ${more["finish_reason"]}`,
  ];
  const lines = [
    printableLine(`${at}: ${facts.filter((fact) => fact !== false).join(", ")}`),
    ...toolNotes.map((text) => indented(`tool: ${text}`)),
    ...(typeof more["fallback_because"] === "string" ? [indented(`fallback: ${more["fallback_because"]}`)] : []),
    ...(typeof more["reasoning"] === "string" ? [indented(`thought: ${more["reasoning"]}`)] : []),
    ...(typeof more["text"] === "string" && more["text"] !== "" ? [indented(more["text"])] : []),
    ...problems.map((text) => indented(`result: ${text}`)),
    ...calls.map(({ name, input }, index) => indented(`call ${index + 1}: ${name} ${input}`)),
  ];
  return lines.join("\n");
}

function nonEmpty<Item>(items: Item[]): Item[] | undefined {
  return items.length > 0 ? items : undefined;
}

/** Names of files that a line shows of each kind of change. */
const maxNames = 20;

function changesText(all: FileVersion[]): string[] {
  const files = all.filter(({ kind }) => kind !== "folder");
  const kinds = { changed: files.filter(({ deleted }) => !deleted), deleted: files.filter(({ deleted }) => deleted) };
  return Object.entries(kinds).flatMap(([kind, changes]) => {
    if (changes.length === 0) return [];
    const more = changes.length > maxNames ? `, and ${changes.length - maxNames} more files` : "";
    const names = changes.slice(0, maxNames).map(({ name }) => name);
    return `${kind} ${names.join(", ")}${more}`;
  });
}

function tokensOf(usage: TokenUsage) {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    estimated: usage.estimated,
  };
}

function tokensText(more: Record<string, unknown>): string {
  const part = (name: string, label: string) => (more[name] === undefined ? "" : ` (${Number(more[name])} ${label})`);
  const input = `${Number(more["input_tokens"])}${part("cached_input_tokens", "cached")}${part("cache_write_input_tokens", "to the cache")}`;
  const output = `${Number(more["output_tokens"])}${part("reasoning_tokens", "reasoning")}`;
  return `${more["estimated"] === true ? "not reported, about " : ""}${input} tokens in, ${output} out`;
}

function truncated(text = ""): string {
  return text.length > maxTextLength
    ? `${text.slice(0, maxTextLength).toWellFormed()}… (${text.length} characters)`
    : text;
}
