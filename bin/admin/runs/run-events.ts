import { callId } from "../../../src/runs/read/open-calls.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { toolNotesIn } from "../../../src/agent/turn/tool-notes.ts";
import type { SharedSchemas } from "../../../src/http/rest/schemas/schema-types.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { problemText } from "../../../src/results/result-types.ts";
import { printableLine } from "../../printable.ts";
import type { Caller } from "../call.ts";
import { answerAdvice } from "./open-calls.ts";
import { indentedText, type Output } from "../output.ts";

/** An event as the API sends it. */
export type PrintedEvent = SharedSchemas["Event"];

const pollMilliseconds = 500;

/** Yields the recorded events of a run. `after`: the number of the last one that is not wanted. */
export async function* recordedEvents(
  { call }: Caller,
  run_id: string,
  after: unknown = 0,
): AsyncGenerator<PrintedEvent> {
  for (let from: unknown = after; ;) {
    const { data, next } = await call<SharedSchemas["EventPage"]>("list_events", { run_id, after: from, limit: 200 });
    yield* data;
    if (next === null) return;
    from = next;
  }
}

/** The recorded events of a run. */
export async function allEvents(caller: Caller, run_id: string): Promise<PrintedEvent[]> {
  const events: PrintedEvent[] = [];
  for await (const event of recordedEvents(caller, run_id)) events.push(event);
  return events;
}

/** Yields each event of a run once, until the run is idle. Rejects with an AbortError after `signal`. */
export async function* eventsUntilIdle(
  caller: Caller,
  run_id: string,
  { after, signal }: { after?: unknown; signal?: AbortSignal } = {},
): AsyncGenerator<PrintedEvent> {
  for (let last = after; ;) {
    // Before the events, so that the last ones of an ended run are not missed.
    const { status } = await caller.call<Schemas["RunDetail"]>("get_run", { run_id });
    for await (const event of recordedEvents(caller, run_id, last)) {
      last = event.sequence ?? last;
      yield event;
    }
    last ??= 0;
    if (status !== "running") return;
    await sleep(pollMilliseconds, undefined, { signal });
  }
}

/** Yields each event of a run, and at the end the idle run. */
export async function* runUntilIdle(caller: Caller, run_id: string, after?: unknown): AsyncGenerator<Output> {
  for await (const event of eventsUntilIdle(caller, run_id, { after })) {
    const advice = event.type === "call_asked" ? `\n${answerAdvice(run_id, event)}` : "";
    yield { text: `${eventText(event)}${advice}`, json: event };
  }
  const run = await caller.call<Schemas["RunDetail"]>("get_run", { run_id });
  yield { text: printableLine(statusText(run)), json: run };
}

/** The status, and why a run failed. */
export function statusText({ status, failure }: Pick<Schemas["Run"], "status" | "failure">): string {
  return failure ? `${status}: ${failureText(failure)}` : status;
}

/** Title and remedy as sentences. A title that ends with a server's message may lack its period. */
export function failureText({ title, remedy }: NonNullable<Schemas["Run"]["failure"]>): string {
  return `${title.replace(/[^.!?…]$/, "$&.")} ${remedy}`;
}

/** An event as a line for people, such as `… #3  turn 1, step 1: tool result, …`. Its texts follow, cut and indented. */
export function eventText(event: PrintedEvent): string {
  const { sequence, at, turn, type } = event;
  const place = "step" in event ? `turn ${turn}, step ${event.step}` : `turn ${turn}`;
  const facts = [type.replaceAll("_", " "), ...factsOf(event)].filter((fact) => fact !== null && fact !== "");
  const number = sequence === null ? "unnumbered" : `#${sequence}`;
  const head = printableLine(`${place}: ${facts.join(", ")}`);
  return [`${at ?? "time unknown"}  ${number}  ${head}`, ...linesOf(event).map(indentedText)].join("\n");
}

function factsOf(event: PrintedEvent): (string | null)[] {
  switch (event.type) {
    case "model_call":
      return [event.model, ...fallbackOf(event), ...usedBy(event), event.ended && `finish reason ${event.ended}`];
    case "summary":
      return [...fallbackOf(event), `${event.messages} messages`, ...usedBy(event)];
    case "model_call_failed": {
      const wait = event.wait_ms === null ? null : `next attempt in ${event.wait_ms} ms`;
      return [...fallbackOf(event), `${event.category}: ${event.title}`, wait, ...usedBy(event)];
    }
    case "tool_result":
      return [
        `${event.name} (call ${event.call + 1})`,
        event.is_error ? "with an error" : null,
        ...changesText(event.files),
        event.milliseconds === null ? null : `${event.milliseconds} ms`,
      ];
    case "call_asked":
      return [callId(event), `${event.kind}, until ${event.until}`];
    case "call_answered": {
      const by = [event.answered_by ?? "nobody", event.answered_by_name].filter((part) => part !== null).join(" ");
      return [callId(event), `${event.answer}, by ${by}`];
    }
    case "forked":
      return [`from run ${event.from_run}`];
    case "resumed":
      return [event.reason];
    case "input":
    case "output":
    case "tool_started":
      return [];
  }
}

function linesOf(event: PrintedEvent): string[] {
  const text = "text" in event && event.text ? [cut(event.text)] : [];
  const because = "fallback" in event && event.fallback ? [`fallback: ${event.fallback.title}`] : [];
  if (event.type !== "model_call") return [...because, ...text];
  return [
    ...toolNotesIn(event.note ?? undefined).map((note) => `tool: ${note}`),
    ...because,
    ...(event.reasoning === null ? [] : [`thought: ${cut(event.reasoning)}`]),
    ...text,
    ...(event.result_problems ?? []).map((problem) => `result: ${problemText(problem)}`),
    ...event.tool_calls.map((each, index) => `call ${index + 1}: ${each.name} ${cut(each.arguments)}`),
  ];
}

function fallbackOf({ fallback }: Pick<SharedSchemas["ModelCallEvent"], "fallback">): string[] {
  return fallback ? [`fallback ${fallback.configuration ?? fallback.model ?? "yes"}`] : [];
}

type Used = Pick<
  SharedSchemas["ModelCallEvent"],
  "usage" | "dollars" | "estimated_usage" | "estimated_dollars" | "milliseconds"
>;

function usedBy({ usage, estimated_usage: estimate, milliseconds, ...cost }: Used): (string | null)[] {
  const tokens = usage ?? estimate;
  const dollars = cost.dollars ?? cost.estimated_dollars;
  return [
    milliseconds === null ? null : `${milliseconds} ms`,
    tokens && `${usage ? "" : "not reported, about "}${tokensText(tokens)}`,
    dollars === null ? null : `$${dollars.toFixed(6)}`,
  ];
}

const part = (count: number | null, label: string): string => (count === null ? "" : ` (${count} ${label})`);

function tokensText(tokens: SharedSchemas["TokenUsage"]): string {
  const cache = part(tokens.cached_input_tokens, "cached") + part(tokens.cache_write_input_tokens, "to the cache");
  return `${tokens.input_tokens}${cache} tokens in, ${tokens.output_tokens}${part(tokens.reasoning_tokens, "reasoning")} out`;
}

/** Names of files that a line shows of each kind of change. */
const maxNames = 20;

function changesText(files: SharedSchemas["ToolResultEvent"]["files"]): string[] {
  const kinds = { changed: files.filter(({ deleted }) => !deleted), deleted: files.filter(({ deleted }) => deleted) };
  return Object.entries(kinds).flatMap(([kind, changes]) => {
    if (changes.length === 0) return [];
    const more = changes.length > maxNames ? `, and ${changes.length - maxNames} more files` : "";
    const names = changes.slice(0, maxNames).map(({ name }) => name);
    return `${kind} ${names.join(", ")}${more}`;
  });
}

/** Characters of a text in a line for people. */
const maxTextLength = 300;

function cut(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength).toWellFormed()}… (${text.length} characters)`;
}
