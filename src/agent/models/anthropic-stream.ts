import { isObject } from "../../json.ts";
import { type Chunks, mapEvents } from "../../net/sse.ts";

type Json = Record<string, unknown>;

/**
 * Normalizes the event stream of a Messages API server to the events that the AI SDK accepts. Anthropic may add kinds of
 * events and fields at any time. Other servers leave out token counts.
 */
export function normalizeEvents(chunks: Chunks): Chunks {
  const skippedBlocks = new Set<unknown>(); // by index
  return mapEvents(
    chunks,
    (event) => (isObject(event) ? normalizeEvent(event, skippedBlocks) : [event]),
    (data) => /"type":\s*"message_stop"/.test(data),
  );
}

const knownBlocks = new Set<unknown>(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownDeltas = new Set<unknown>(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]);

function normalizeEvent(event: Json, skippedBlocks: Set<unknown>): Json[] {
  const { type, index } = event;
  switch (type) {
    case "message_start": {
      const { id, model, usage } = toObject(event["message"]);
      return [{ type, message: { id, model, role: "assistant", usage: { input_tokens: 0, ...withoutNulls(usage) } } }];
    }
    case "content_block_start": {
      const block = toObject(event["content_block"]);
      if (knownBlocks.has(block["type"])) return startBlock(index, block);
      skippedBlocks.add(index);
      return [];
    }
    case "content_block_delta":
      return !skippedBlocks.has(index) && knownDeltas.has(toObject(event["delta"])["type"]) ? [event] : [];
    case "content_block_stop":
      return skippedBlocks.has(index) ? [] : [event];
    case "message_delta": {
      const { stop_reason } = toObject(event["delta"]);
      const { input_tokens, ...others } = withoutNulls(event["usage"]);
      // Some servers count the input at the start, others at the end. The other count is 0.
      const usage = { output_tokens: 0, ...others, ...(input_tokens !== 0 && { input_tokens }) };
      return [{ type, delta: { stop_reason }, usage }];
    }
    case "message_stop":
      return [event];
    default:
      return "error" in event ? [errorEvent(event["error"])] : [];
  }
}

/** Sends the initial text of a block as its first delta. */
function startBlock(index: unknown, block: Json): Json[] {
  const { type, text, ...others } = block;
  const start = (content_block: Json): Json => ({ type: "content_block_start", index, content_block });
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
