import { isObject } from "../../json.ts";
import { type Chunks, mapEvents } from "../../net/sse.ts";

type Json = Record<string, unknown>;

/**
 * What a server of the Messages API answered, with the events that answers are read from. Anthropic says that new kinds
 * of events, and of what they hold, may come at any time; other servers leave out counts.
 */
export function normalizeEvents(chunks: Chunks): Chunks {
  const unknown = new Set<unknown>(); // blocks, by index
  return mapEvents(chunks, (event) => (isObject(event) ? eventsOf(event, unknown) : [event]));
}

const blocks = new Set<unknown>(["text", "thinking", "redacted_thinking", "tool_use"]);
const deltas = new Set<unknown>(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]);

function eventsOf(event: Json, unknown: Set<unknown>): Json[] {
  const { type, index } = event;
  switch (type) {
    case "message_start": {
      const { id, model, usage } = recordOf(event["message"]);
      return [{ type, message: { id, model, role: "assistant", usage: { input_tokens: 0, ...countsOf(usage) } } }];
    }
    case "content_block_start": {
      const block = recordOf(event["content_block"]);
      if (blocks.has(block["type"])) return startOf(index, block);
      unknown.add(index);
      return [];
    }
    case "content_block_delta":
      return !unknown.has(index) && deltas.has(recordOf(event["delta"])["type"]) ? [event] : [];
    case "content_block_stop":
      return unknown.has(index) ? [] : [event];
    case "message_delta": {
      const { stop_reason } = recordOf(event["delta"]);
      const { input_tokens, ...counts } = countsOf(event["usage"]);
      // Some servers count the input at the start, some at the end, and say 0 at the other.
      const usage = { output_tokens: 0, ...counts, ...(input_tokens !== 0 && { input_tokens }) };
      return [{ type, delta: { stop_reason }, usage }];
    }
    case "message_stop":
      return [event];
    default:
      return "error" in event ? [errorOf(event["error"])] : [];
  }
}

/** The text that a block begins with comes as its first piece. */
function startOf(index: unknown, block: Json): Json[] {
  const { type, text, ...others } = block;
  const start = (content_block: Json): Json => ({ type: "content_block_start", index, content_block });
  if (type !== "text") return [start({ type, ...others })];
  const first = { type: "content_block_delta", index, delta: { type: "text_delta", text } };
  return [start({ type, text: "" }), ...(typeof text === "string" && text !== "" ? [first] : [])];
}

function errorOf(error: unknown): Json {
  const { type, message } = recordOf(error);
  const words = [message, error].find((each) => typeof each === "string") ?? JSON.stringify(error);
  return { type: "error", error: { type: typeof type === "string" ? type : "api_error", message: words } };
}

function countsOf(usage: unknown): Json {
  return Object.fromEntries(Object.entries(recordOf(usage)).filter(([, count]) => count !== null));
}

function recordOf(value: unknown): Json {
  return isObject(value) ? value : {};
}
