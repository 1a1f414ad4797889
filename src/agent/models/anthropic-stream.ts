import { type LanguageModelV4Usage, TypeValidationError } from "@ai-sdk/provider";
import { isObject, parseExact } from "../../json.ts";
import { type Chunks, mapEvents } from "../../net/sse.ts";
import type { ModelResponse } from "./errors/http-client.ts";

type Json = Record<string, unknown>;

/**
 * Normalizes the event stream of a Messages API server to the events that the AI SDK accepts. Anthropic may add kinds of
 * events and fields at any time. Other servers leave out token counts, the stop reason or the last event: `message_stop`, or a
 * stop reason after which the server is silent, fails or closes the connection, ends a message. Some send it in one piece.
 */
export async function* normalizeEvents(response: ModelResponse): Chunks {
  const message = new NormalizedMessage(response);
  try {
    yield* mapEvents(
      response.chunks,
      (event, data) => (isObject(event) ? message.normalize(event, data) : [event]),
      isStop,
    );
  } catch (error) {
    if (!message.isComplete) throw error;
  }
  if (message.isOther && !message.isComplete) throw new TypeValidationError({ value: undefined, cause: undefined });
  if (message.isComplete && !message.isStopped) yield Buffer.from('data: {"type":"message_stop"}\n\n');
}

function isStop(data: string): boolean {
  return /"type":\s*"message_stop"/.test(data);
}

const knownBlocks = new Set<unknown>(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownDeltas = new Set<unknown>(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]);

class NormalizedMessage {
  /** The stop reason has arrived. */
  isComplete = false;
  isStopped = false;
  /** The response is JSON of another API. */
  isOther = false;
  readonly #response: ModelResponse;
  readonly #skippedBlocks = new Set<unknown>(); // by index
  readonly #usage: Json = {};
  #lastBlock: unknown;

  constructor(response: ModelResponse) {
    this.#response = response;
  }

  normalize(event: Json, data: string): Json[] {
    if (this.isStopped) return []; // sent with the last event
    const { type, index } = event;
    switch (type) {
      case "message":
        return this.#whole(data);
      case "message_start": {
        const { id, model, usage } = toObject(event["message"]);
        this.#count(usage);
        return [
          { type, message: { id, model, role: "assistant", usage: { input_tokens: 0, ...withoutNulls(usage) } } },
        ];
      }
      case "content_block_start": {
        const block = toObject(event["content_block"]);
        if (knownBlocks.has(block["type"])) {
          this.#lastBlock = block["type"];
          return startBlock(index, block, data);
        }
        this.#skippedBlocks.add(index);
        return [];
      }
      case "content_block_delta":
        return !this.#skippedBlocks.has(index) && knownDeltas.has(toObject(event["delta"])["type"]) ? [event] : [];
      case "content_block_stop":
        return this.#skippedBlocks.has(index) ? [] : [event];
      case "message_delta":
        return this.#delta(event);
      case "message_stop":
        return this.#stop(event);
      default:
        return this.#unknown(event);
    }
  }

  /** A message in one piece. The numbers of its arguments keep their digits. */
  #whole(json: string): Json[] {
    const message = parseExact(json) as Json;
    const { content, stop_reason, usage } = message;
    const blocks = Array.isArray(content) ? content.filter(isObject) : [];
    const events = [
      { type: "message_start", message },
      ...blocks.flatMap(eventsOfBlock),
      { type: "message_delta", delta: { stop_reason }, usage },
      { type: "message_stop" },
    ];
    return events.flatMap((event) => this.normalize(event, JSON.stringify(event)));
  }

  /** An error is the end, except after the stop reason. */
  #unknown(event: Json): Json[] {
    if ("error" in event) return this.isComplete ? [] : [errorEvent(event["error"])];
    const isJson = /json/.test(this.#response.headers.get("content-type") ?? "");
    if (isJson && event["type"] === undefined) this.isOther = true;
    return [];
  }

  #delta(event: Json): Json[] {
    const { stop_reason } = toObject(event["delta"]);
    this.#count(event["usage"]);
    if (typeof stop_reason === "string" && !this.isComplete) {
      this.isComplete = true;
      this.#response.expectEnd();
    }
    const { input_tokens, ...others } = withoutNulls(event["usage"]);
    // Some servers count the input at the start, others at the end. The other count is 0.
    const usage = { output_tokens: 0, ...others, ...(input_tokens !== 0 && { input_tokens }) };
    return [{ type: "message_delta", delta: { stop_reason }, usage }];
  }

  #stop(event: Json): Json[] {
    this.isStopped = true;
    if (this.isComplete || this.#lastBlock === undefined) return [event];
    const stop_reason = this.#lastBlock === "tool_use" ? "tool_use" : "end_turn";
    return [{ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 0, ...this.#usage } }, event];
  }

  /** The counts at the end are totals. A count of 0 there is one that the start has. */
  #count(usage: unknown): void {
    const counts = Object.entries(toObject(usage)).filter(([, count]) => typeof count === "number" && count !== 0);
    if (counts.length === 0) return;
    Object.assign(this.#usage, Object.fromEntries(counts));
    this.#response.onUsage(toUsage(this.#usage));
  }
}

function toUsage(usage: Json): LanguageModelV4Usage {
  const count = (name: string): number => Number(usage[name]) || 0;
  const [cacheRead, cacheWrite] = [count("cache_read_input_tokens"), count("cache_creation_input_tokens")];
  const noCache = count("input_tokens");
  return {
    inputTokens: { total: noCache + cacheRead + cacheWrite, noCache, cacheRead, cacheWrite },
    outputTokens: { total: count("output_tokens"), text: undefined, reasoning: undefined },
  };
}

function eventsOfBlock(block: Json, index: number): Json[] {
  const { type, thinking, signature, ...others } = block;
  const [start, stop] = ["content_block_start", "content_block_stop"];
  if (type !== "thinking")
    return [
      { type: start, index, content_block: block },
      { type: stop, index },
    ];
  const deltas = [
    { type: "thinking_delta", thinking },
    ...(signature === undefined ? [] : [{ type: "signature_delta", signature }]),
  ];
  return [
    { type: start, index, content_block: { type, thinking: "", ...others } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: stop, index },
  ];
}

/** Sends the initial text or arguments of a block as its first delta. `data`: JSON of the event, with the digits of its numbers. */
function startBlock(index: unknown, block: Json, data: string): Json[] {
  const { type, text, ...others } = block;
  const start = (content_block: Json): Json => ({ type: "content_block_start", index, content_block });
  if (type === "tool_use" && Object.keys(toObject(block["input"])).length > 0) {
    const { content_block } = parseExact(data) as { content_block: Json };
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(content_block["input"]) };
    return [start({ type, ...others, input: {} }), { type: "content_block_delta", index, delta }];
  }
  if (type !== "text") return [start({ type, ...others })];
  const first = { type: "content_block_delta", index, delta: { type: "text_delta", text } };
  return [start({ type, text: "" }), ...(typeof text === "string" && text !== "" ? [first] : [])];
}

function errorEvent(error: unknown): Json {
  const { type, message } = toObject(error);
  const text = [message, error].find((each) => typeof each === "string") ?? JSON.stringify(error);
  return { type: "error", error: { type: typeof type === "string" ? type : "api_error", message: text } };
}

function withoutNulls(usage: unknown): Json {
  return Object.fromEntries(Object.entries(toObject(usage)).filter(([, count]) => count !== null));
}

function toObject(value: unknown): Json {
  return isObject(value) ? value : {};
}
