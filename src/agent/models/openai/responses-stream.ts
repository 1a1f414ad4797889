import {
  InvalidResponseDataError,
  JSONParseError,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { isObject, parseExact } from "../../../json.ts";
import { type Chunks, mapEvents, mappedEvents } from "../../../net/sse.ts";
import type { ModelResponse } from "../errors/http-client.ts";
import { responsesNamespace, type ReasoningPart } from "./responses-request.ts";

type Json = Record<string, unknown>;
type Part = LanguageModelV4StreamPart;

/**
 * Normalizes the body of a response to events of the Responses API. Some servers send a response in one piece, or an
 * error without a type.
 */
function normalizeResponse(chunks: Chunks): Chunks {
  return mapEvents(
    chunks,
    (parsed, data) => {
      const event = hasObjectArguments(data) ? parseExact(data) : parsed;
      if (!isObject(event) || typeof event["type"] === "string") return [event];
      if (event["object"] === "response") return [{ type: `response.${String(event["status"])}`, response: event }];
      return "error" in event ? [{ type: "error", error: event["error"] }] : [event];
    },
    (data) => /"type":\s*"response\.(completed|incomplete|failed)"/.test(data) || data === done,
  );
}

/** Whether the arguments of a call are an object, which becomes their text: its numbers keep their digits. */
function hasObjectArguments(data: string): boolean {
  return /"arguments":\s*\{/.test(data);
}

/** Some servers end the stream with this line, as in chat completions. */
const done = "[DONE]";

/**
 * Converts a response of the Responses API to the parts of the AI SDK. A stream that ends after its last item is complete. Of one
 * that breaks off, there is no `finish` part.
 */
export async function* responseParts({ chunks, close, onUsage }: ModelResponse): AsyncGenerator<Part> {
  const response = new StreamedResponse(onUsage);
  let isRead = false;
  try {
    for await (const data of mappedEvents(normalizeResponse(chunks))) {
      if (data !== done) yield* response.read(parse(data));
    }
    isRead = true;
  } finally {
    if (!isRead) close();
  }
  yield* response.end();
}

function parse(data: string): Json {
  let event: unknown;
  try {
    event = hasObjectArguments(data) ? parseExact(data) : JSON.parse(data);
  } catch (cause) {
    throw new JSONParseError({ text: data, cause });
  }
  if (isObject(event) && typeof event["type"] === "string") return event;
  throw new InvalidResponseDataError({ data: event, message: "an event of the stream has no type" });
}

/** An output item whose parts are arriving. */
interface OpenItem {
  item: Json;
  /** Of the complete item. */
  type?: unknown;
  /** Texts by their ids as parts of the AI SDK. */
  texts: Map<string, Text>;
  /** Arguments of a function call. */
  arguments: string;
  isDone?: true;
}

interface Text {
  type: "text" | "reasoning";
  place?: "summary" | "content";
  text: string;
}

class StreamedResponse {
  /** By their place in the output, else by their id. */
  readonly #items = new Map<string, OpenItem>();
  readonly #onUsage: ModelResponse["onUsage"];
  #hasCalls = false;
  #isRefused = false;
  #isFinished = false;

  constructor(onUsage: ModelResponse["onUsage"]) {
    this.#onUsage = onUsage;
  }

  read(event: Json): Part[] {
    if (this.#isFinished) return []; // sent with the last event
    const { type, delta, response } = event;
    switch (type) {
      case "response.created":
        return isObject(response) ? metadata(response) : [];
      case "response.output_item.added":
        return this.#begin(event);
      case "response.output_text.delta":
        return this.#addText(event, { type: "text" }, delta);
      case "response.refusal.delta":
        this.#isRefused = true;
        return this.#addText(event, { type: "text" }, delta);
      case "response.reasoning_summary_text.delta":
        return this.#addText(event, { type: "reasoning", place: "summary" }, delta);
      case "response.reasoning_text.delta":
        return this.#addText(event, { type: "reasoning", place: "content" }, delta);
      case "response.function_call_arguments.delta": {
        this.#open(event).arguments += String(delta);
        return [{ type: "tool-input-delta", id: String(event["item_id"]), delta: String(delta) }];
      }
      case "response.output_item.done":
        return isObject(event["item"]) ? this.#end(event, event["item"]) : [];
      case "response.completed":
      case "response.incomplete":
        return isObject(response) ? this.#finish(response, type.slice("response.".length)) : [];
      case "response.failed":
        if (isObject(response)) this.#onUsage(toUsage(response["usage"]));
        return [{ type: "error", error: failure(isObject(response) ? response["error"] : undefined) }];
      case "error":
        return [{ type: "error", error: failure(event["error"] ?? event) }];
      default:
        return []; // the beginnings and ends of parts, kinds of events that servers add, and `keepalive`
    }
  }

  #open(event: Json): OpenItem {
    const key = keyOf(event);
    const known = this.#items.get(key);
    if (known && !(known.isDone && key === keyOf({}))) return known;
    const { item } = event;
    const opened: OpenItem = { item: isObject(item) ? item : {}, texts: new Map(), arguments: "" };
    this.#items.set(key, opened);
    return opened;
  }

  /** Reasoning has a first part even if it is not shown, because the provider charges for it from then on. */
  #begin(event: Json): Part[] {
    const { item } = this.#open(event);
    return item["type"] === "reasoning" ? [{ type: "reasoning-start", id: keyOf(event) }] : [];
  }

  #addText(event: Json, kind: Pick<Text, "type" | "place">, delta: unknown): Part[] {
    const { summary_index, content_index } = event;
    const index = kind.place ? ` ${kind.place} ${Number(summary_index ?? content_index ?? 0)}` : "";
    return addText(this.#open(event), `${keyOf(event)}${index}`, kind, String(delta));
  }

  /** Ends an item: adds what did not arrive in parts. */
  #end(event: Json, item: Json): Part[] {
    const opened = this.#open(event);
    if (opened.isDone) return [];
    opened.isDone = true;
    opened.type = item["type"];
    const id = keyOf({ ...event, item });
    switch (item["type"]) {
      case "message":
        return this.#endMessage(opened, id, item);
      case "reasoning":
        return endReasoning(opened, id, item);
      case "function_call": {
        this.#hasCalls = true;
        const { id: itemId, call_id, name, arguments: args } = item;
        const input = isObject(args) ? JSON.stringify(args) : toText(args) || opened.arguments;
        const toolCallId = toText(call_id) ?? toText(itemId) ?? "";
        return [{ type: "tool-call", toolCallId, toolName: toText(name) ?? "", input }];
      }
      default:
        return [];
    }
  }

  #endMessage(opened: OpenItem, id: string, { content, phase }: Json): Part[] {
    const parts = Array.isArray(content) ? content.filter(isObject) : [];
    if (parts.some(({ type }) => type === "refusal")) this.#isRefused = true;
    const text = parts.map(({ text: said, refusal }) => toText(said) ?? toText(refusal) ?? "").join("");
    const rest = addRest(opened, id, { type: "text" }, text);
    if (!opened.texts.get(id)?.text.trim()) return rest;
    const known = typeof phase === "string" && { providerMetadata: { [responsesNamespace]: { phase } } };
    return [...rest, { type: "text-end", id, ...known }];
  }

  /** Some servers send items only with the whole response. Of one that is cut off, the last item may have no end. */
  #finish(response: Json, status: string): Part[] {
    const output = Array.isArray(response["output"]) ? response["output"].filter(isObject) : [];
    const whole = output.map((item, index): [string, Json] => [String(index), item]);
    const cut = [...this.#items].flatMap(([key, { item, isDone }]): [string, Json][] => (isDone ? [] : [[key, item]]));
    const rest = (this.#items.size === 0 ? whole : cut).flatMap(([key, item]) =>
      this.#end({ output_index: key }, item),
    );
    const { incomplete_details } = response;
    const reason = (isObject(incomplete_details) && toText(incomplete_details["reason"])) || status;
    const unified = status === "completed" ? this.#stopReason() : "other"; // `toStopReason` reads the reason
    const usage = toUsage(response["usage"]);
    this.#onUsage(usage);
    this.#isFinished = true;
    return [...metadata(response), ...rest, { type: "finish", finishReason: { unified, raw: reason }, usage }];
  }

  #stopReason(): "tool-calls" | "content-filter" | "stop" {
    return this.#hasCalls ? "tool-calls" : this.#isRefused ? "content-filter" : "stop";
  }

  /** The end of a stream without `response.completed`: its items are the answer if all are complete (can1357/oh-my-pi#9433). */
  end(): Part[] {
    const items = [...this.#items.values()];
    const isAnswer = items.some(({ type }) => type === "message" || type === "function_call");
    if (this.#isFinished || !isAnswer || items.some(({ isDone }) => !isDone)) return [];
    const finishReason = { unified: this.#stopReason(), raw: "response.output_item.done" };
    return [{ type: "finish", finishReason, usage: toUsage(undefined) }];
  }
}

/** The place of an item in the output, else its id. Without both, items can only follow one another. */
function keyOf({ output_index, item_id, item }: Json): string {
  return String(output_index ?? item_id ?? (isObject(item) ? item["id"] : undefined));
}

function metadata({ id, model }: Json): Part[] {
  return [
    {
      type: "response-metadata",
      ...(typeof id === "string" && { id }),
      ...(typeof model === "string" && { modelId: model }),
    },
  ];
}

function addText({ texts }: OpenItem, id: string, kind: Pick<Text, "type" | "place">, delta: string): Part[] {
  const known = texts.get(id);
  if (!known) texts.set(id, { ...kind, text: delta });
  else known.text += delta;
  return [...(known ? [] : [{ type: `${kind.type}-start`, id } as const]), { type: `${kind.type}-delta`, id, delta }];
}

/** Adds the part of a text that has not arrived. */
function addRest(opened: OpenItem, id: string, kind: Pick<Text, "type" | "place">, text: string): Part[] {
  const arrived = opened.texts.get(id)?.text ?? "";
  const isRest = text.length > arrived.length && text.startsWith(arrived);
  return isRest ? addText(opened, id, kind, text.slice(arrived.length)) : [];
}

/** Each part of the item names the item, so that it can be sent back as a whole. */
function endReasoning(opened: OpenItem, id: string, item: Json): Part[] {
  const rest = (["summary", "content"] as const).flatMap((place) => {
    const parts = Array.isArray(item[place]) ? item[place].filter(isObject) : [];
    return parts.flatMap(({ text }, index) =>
      addRest(opened, `${id} ${place} ${index}`, { type: "reasoning", place }, toText(text) ?? ""),
    );
  });
  const { id: itemId, encrypted_content } = item;
  const whole: ReasoningPart = {
    ...(typeof itemId === "string" && { id: itemId }),
    ...(typeof encrypted_content === "string" && { encrypted_content }),
  };
  if (opened.texts.size === 0 && whole.encrypted_content !== undefined) {
    return [{ type: "reasoning-end", id, providerMetadata: { [responsesNamespace]: { ...whole } } }];
  }
  const ends = [...opened.texts].map(([textId, { place }], index): Part => {
    const { encrypted_content: _, ...others } = whole;
    const stored: ReasoningPart = { ...(index === 0 ? whole : others), ...(place && { place }) };
    return { type: "reasoning-end", id: textId, providerMetadata: { [responsesNamespace]: { ...stored } } };
  });
  return [...rest, ...ends];
}

/** An error in the form of an error response, whose codes distinguish errors. */
function failure(error: unknown): Json {
  return { error: isObject(error) ? error : { message: toText(error) ?? "the response failed" } };
}

/** Undefined counts: the server reports none. */
function toUsage(usage: unknown): LanguageModelV4Usage {
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = isObject(usage) ? usage : {};
  const input = isObject(input_tokens_details) ? input_tokens_details : {};
  const output = isObject(output_tokens_details) ? output_tokens_details : {};
  return {
    inputTokens: {
      total: toCount(input_tokens),
      noCache: undefined,
      cacheRead: toCount(input["cached_tokens"]),
      cacheWrite: toCount(input["cache_write_tokens"]),
    },
    outputTokens: { total: toCount(output_tokens), text: undefined, reasoning: toCount(output["reasoning_tokens"]) },
    ...(isObject(usage) && { raw: usage as NonNullable<LanguageModelV4Usage["raw"]> }),
  };
}

function toCount(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
