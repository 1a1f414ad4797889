import { isObject } from "../../json.ts";
import { type Chunks, mapEvents } from "../../net/sse.ts";

type Json = Record<string, unknown>;

/**
 * Normalizes the event stream of a chat completions server to the chunks that the AI SDK accepts. Servers leave out, add
 * and rename fields, send errors in several formats, or send the whole response as JSON.
 * `onFingerprint` gets the `system_fingerprint` of each chunk.
 */
export function normalizeChunks(chunks: Chunks, onFingerprint: (value: unknown) => void = () => {}): Chunks {
  return mapEvents(
    chunks,
    (event) => {
      if (isObject(event)) onFingerprint(event["system_fingerprint"]);
      return [normalizeChunk(event)];
    },
    (data) => data === "[DONE]",
  );
}

function normalizeChunk(json: unknown): unknown {
  const event: unknown = Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!isObject(event)) return event;
  const choices = Array.isArray(event["choices"]) ? event["choices"].filter(isObject) : [];
  const error = readError(event) ?? choices.map(readError).find((each) => each !== undefined);
  if (error) return { error };
  const usage = [event, ...choices, event["x_groq"]].map(readUsage).find((each) => each !== undefined);
  if (!usage && event["choices"] !== null && !Array.isArray(event["choices"])) return event;
  const [id, model] = [toText(event["id"]), toText(event["model"])];
  return { ...(id && { id }), ...(model && { model }), choices: choices.map(normalizeChoice), ...(usage && { usage }) };
}

/** Formats of errors: `{error: {message}}`, `{error: "…"}`, vLLM's `{object: "error", message}`, and `{message}`. */
function readError(event: Json): Json | undefined {
  const { error, object, message, code, type, choices, delta } = event;
  if (typeof error === "string" && error !== "") return { message: error };
  if (isObject(error) && Object.keys(error).length > 0) {
    const text = typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
    return { ...error, message: text, type: toText(error["type"]), code: toCode(error["code"]) };
  }
  const onlyMessage = typeof message === "string" && choices === undefined && delta === undefined;
  if (object !== "error" && !onlyMessage) return undefined;
  return {
    message: typeof message === "string" ? message : JSON.stringify(message ?? event),
    code: toCode(code),
    type: toText(type),
  };
}

function normalizeChoice({ index, delta, message, finish_reason: reason }: Json): Json {
  const content = isObject(delta) ? delta : message;
  return {
    index,
    ...(isObject(content) && { delta: normalizeDelta(content) }),
    finish_reason: typeof reason === "string" && reason !== "" ? reason : null,
  };
}

function normalizeDelta({ content, refusal, reasoning_content, reasoning, reasoning_details, tool_calls }: Json): Json {
  return {
    content,
    refusal,
    reasoning_content: toText(reasoning_content) || toText(reasoning),
    reasoning_details,
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.filter(isObject).map(normalizeCall) }),
  };
}

/** A part of a tool call. Some servers send the arguments as an object. */
function normalizeCall({ index, id, function: details, extra_content }: Json): Json {
  const { name, arguments: args } = isObject(details) ? details : {};
  return {
    index: typeof index === "string" ? Number.parseInt(index) : index,
    id: typeof id === "number" ? String(id) : id,
    function: { name: toText(name), arguments: isObject(args) ? JSON.stringify(args) : toText(args) },
    extra_content,
  };
}

/**
 * Token usage as OpenAI defines it: completion tokens include reasoning. xAI and Gemini include reasoning in the total
 * only, which would understate the cost several times. `reported`: the server's own object.
 */
function readUsage(holder: unknown): Json | undefined {
  const { usage } = isObject(holder) ? holder : {};
  if (!isObject(usage)) return undefined;
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  const input = toCount(prompt_tokens);
  const cached = toCount(isObject(prompt_tokens_details) ? prompt_tokens_details["cached_tokens"] : 0);
  const output = toCount(completion_tokens);
  // With more cached tokens than prompt tokens, the total counts them in addition to the prompt.
  const rest = cached <= input ? toCount(total_tokens) - input : 0;
  return {
    prompt_tokens: input,
    completion_tokens: Math.max(output, rest),
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: {
      reasoning_tokens: toCount(
        isObject(completion_tokens_details) ? completion_tokens_details["reasoning_tokens"] : 0,
      ),
    },
    reported: usage,
  };
}

function toCount(value: unknown): number {
  return Number(value) || 0;
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toCode(value: unknown): string | number | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
