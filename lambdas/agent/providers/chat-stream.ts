import { isObject } from "../json.ts";

type Json = Record<string, unknown>;

/**
 * What a chat completions server answered, as the stream of events that the API describes: servers leave out, add and
 * rename parts of them, send empty ones to keep the connection, errors in several forms, or a whole answer as JSON.
 * An error status, and what can't be read, stay as they are.
 */
export function asStream(response: Response): Response {
  const { body, ok, status, headers } = response;
  return ok && body ? new Response(body.pipeThrough(asDescribed()), { status, headers }) : response;
}

function asDescribed(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const events = eventReader();
  const send = (controller: TransformStreamDefaultController<Uint8Array>, texts: string[]): void => {
    const sent = texts.map((text) => `data: ${text}\n\n`).join("");
    if (sent !== "") controller.enqueue(encoder.encode(sent));
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => send(controller, events.read(decoder.decode(chunk, { stream: true }))),
    flush: (controller) => send(controller, events.end()),
  });
}

/** Cuts a stream into the texts of its events, each as described. */
function eventReader(): { read(chunk: string): string[]; end(): string[] } {
  let line = "";
  let data: string[] = [];
  const outside: string[] = [];

  function event(): string[] {
    const lines = data;
    data = [];
    // Some servers leave out the empty line between events.
    const texts = lines.length > 1 && parsed(lines.join("\n")) === undefined ? lines : [lines.join("\n")];
    return lines.length === 0 ? [] : texts.flatMap(described);
  }

  function readLine(text: string): string[] {
    if (text === "") return event();
    if (text.startsWith("data:")) data.push(text.slice("data:".length).trim());
    else if (!/^(event|id|retry)?:/.test(text)) outside.push(text);
    return [];
  }

  return {
    read(chunk) {
      if (!chunk.includes("\n")) {
        line += chunk; // a line that never ends is looked through once
        return [];
      }
      const lines = (line + chunk).split(/\r?\n/);
      line = lines.pop() ?? "";
      return lines.flatMap(readLine);
    },
    end() {
      // A last line may have been cut by the end of the connection.
      const cut = line.startsWith("data:") && parsed(line.slice("data:".length)) === undefined && !line.includes(done);
      const last = [...(cut ? [] : readLine(line)), ...event()];
      // A whole answer, or an error, that came in place of events or after them.
      const text = outside.join("\n");
      const json = parsed(text);
      if (json === undefined) return last;
      return [...last, isObject(json) || Array.isArray(json) ? JSON.stringify(eventOf(json)) : text, done];
    },
  };
}

const done = "[DONE]";

function described(text: string): string[] {
  if (text === done) return [done];
  const json = text === "" ? null : parsed(text);
  if (json === null) return []; // it kept the connection
  return [json === undefined ? text : JSON.stringify(eventOf(json))];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function eventOf(json: unknown): unknown {
  const event: unknown = Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!isObject(event)) return event;
  const choices = Array.isArray(event["choices"]) ? event["choices"].filter(isObject) : [];
  const error = errorOf(event) ?? choices.map(errorOf).find((each) => each !== undefined);
  if (error) return { error };
  const usage = [event, ...choices, event["x_groq"]].map(usageOf).find((each) => each !== undefined);
  if (!usage && event["choices"] !== null && !Array.isArray(event["choices"])) return event;
  return { choices: choices.map(choiceOf), ...(usage && { usage }) };
}

/** `{error: {message}}`, `{error: "…"}`, vLLM's `{object: "error", message}` and what has a message but no answer. */
function errorOf(event: Json): Json | undefined {
  const { error, object, message, code, type, choices, delta } = event;
  if (typeof error === "string" && error !== "") return { message: error };
  if (isObject(error)) {
    const words = typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
    return { ...error, message: words, type: textOf(error["type"]), code: codeOf(error["code"]) };
  }
  const alone = typeof message === "string" && choices === undefined && delta === undefined;
  if (object !== "error" && !alone) return undefined;
  return {
    message: typeof message === "string" ? message : JSON.stringify(message ?? event),
    code: codeOf(code),
    type: textOf(type),
  };
}

function choiceOf({ index, delta, message, finish_reason: reason }: Json): Json {
  const content = isObject(delta) ? delta : message;
  return {
    index,
    ...(isObject(content) && { delta: deltaOf(content) }),
    finish_reason: typeof reason === "string" && reason !== "" ? reason : null,
  };
}

function deltaOf({ content, refusal, reasoning_content, reasoning, tool_calls }: Json): Json {
  return {
    content,
    refusal,
    reasoning_content: textOf(reasoning_content) || textOf(reasoning),
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.filter(isObject).map(callOf) }),
  };
}

/** A piece of a call. Some servers send arguments as the object that they are. */
function callOf({ index, id, function: called, extra_content }: Json): Json {
  const { name, arguments: args } = isObject(called) ? called : {};
  return {
    index: typeof index === "string" ? Number.parseInt(index) : index,
    id: typeof id === "number" ? String(id) : id,
    function: { name: textOf(name), arguments: isObject(args) ? JSON.stringify(args) : textOf(args) },
    extra_content,
  };
}

/**
 * Counts as the API means them: reasoning is part of the completion. xAI and Gemini count it in the total only, which
 * makes an answer look several times cheaper than it is.
 */
function usageOf(holder: unknown): Json | undefined {
  const { usage } = isObject(holder) ? holder : {};
  if (!isObject(usage)) return undefined;
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } = usage;
  const input = countOf(prompt_tokens);
  const cached = countOf(isObject(prompt_tokens_details) ? prompt_tokens_details["cached_tokens"] : 0);
  const output = countOf(completion_tokens);
  // With more from the cache than there was, the total counts the cache beside the prompt.
  const rest = cached <= input ? countOf(total_tokens) - input : 0;
  return {
    prompt_tokens: input,
    completion_tokens: Math.max(output, rest),
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: {
      reasoning_tokens: countOf(
        isObject(completion_tokens_details) ? completion_tokens_details["reasoning_tokens"] : 0,
      ),
    },
  };
}

function countOf(value: unknown): number {
  return Number(value) || 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function codeOf(value: unknown): string | number | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}
