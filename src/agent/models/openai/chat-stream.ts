import {
  InvalidResponseDataError,
  JSONParseError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { createParser } from "eventsource-parser";
import { isObject, parseExact } from "../../../json.ts";
import { ChatCalls } from "./chat-calls.ts";
import { type JsonRecord, readContent, readError, chatUsage, toText, unknownUsage } from "./chat-chunk.ts";
import type { ModelResponse } from "../errors/http-client.ts";
import { interruptedReason } from "../errors/parse-response.ts";
import { addDetails, type Detail } from "./reasoning-details.ts";

type Part = LanguageModelV4StreamPart;

export interface ChatStreamOptions {
  /** Names of the tools that the request offers. */
  toolNames: readonly string[];
  /** Called with the `system_fingerprint` of each chunk. */
  onFingerprint: (value: unknown) => void;
}

/**
 * Converts the response of a chat completions server to the parts of the AI SDK. The response is a stream of chunks, or JSON
 * in one piece, as some servers send it unasked. Servers leave out, add and rename fields, and send errors in several formats.
 *
 * - An answer ends with `[DONE]`, or with a finish reason after which the server is silent, fails or closes the connection.
 *   Of what follows `[DONE]` at once, the token counts are read.
 * - The `finish` part of a response that broke off before has no reason.
 * - Events that are no chunks are skipped, such as pings. JSON that was cut off is skipped at the end of the stream only.
 */
export async function* chatParts(response: ModelResponse, options: ChatStreamOptions): AsyncGenerator<Part> {
  const answer = new StreamedAnswer(response, options);
  const decoder = new TextDecoder();
  const strayLines: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => answer.read(data),
    onError: ({ type, line = "" }) => void (type === "unknown-field" && strayLines.push(line)),
  });
  let isRead = false;
  try {
    for await (const chunk of response.chunks) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      const parts = answer.take();
      for (const part of parts) yield part;
      if (answer.unreadable) throw answer.unreadable;
      if (answer.isDone) break;
    }
    isRead = true;
  } catch (error) {
    if (!answer.hasReason) throw error;
  } finally {
    if (!isRead) response.close();
  }
  answer.isCutOff = true;
  parser.feed("\n\n");
  answer.readWhole(strayLines.join("\n"));
  yield* answer.end();
}

/** Events that keep a connection open, where a server wraps them in `data:` (Pythagora-io/gpt-pilot#773). */
const pings = /^(ping|keep-?alive|heartbeat)$/i;

class StreamedAnswer {
  /** `[DONE]` was read, or the whole response. */
  isDone = false;
  /** The stream has ended: JSON that cannot be parsed was cut off. */
  isCutOff = false;
  /** Why the answer cannot be read. Of what arrived with that, the token counts are read. */
  unreadable: Error | undefined;
  readonly #response: ModelResponse;
  readonly #onFingerprint: (value: unknown) => void;
  readonly #calls: ChatCalls;
  readonly #details: Detail[] = [];
  #parts: Part[] = [];
  #open: "text" | "reasoning" | undefined;
  #text = "";
  #reason: string | undefined;
  #usage: LanguageModelV4Usage | undefined;
  #hasMetadata = false;
  #hasRefusal = false;
  #isEmpty = true;
  /** Something that belongs to this API, and JSON that does not, has arrived. */
  #isKnown = false;
  #unknown: unknown;

  constructor(response: ModelResponse, { toolNames, onFingerprint }: ChatStreamOptions) {
    this.#response = response;
    this.#onFingerprint = onFingerprint;
    this.#calls = new ChatCalls(toolNames);
  }

  get hasReason(): boolean {
    return this.#reason !== undefined;
  }

  /** The parts that have arrived since the last time. */
  take(): Part[] {
    const parts = this.#parts;
    if (parts.length > 0) this.#parts = [];
    return parts;
  }

  /** Reads the data of an event. Some servers leave out the empty line between events, and send blanks around them. */
  read(data: string): void {
    const event = parse(data);
    if (this.isDone || this.unreadable) return isObject(event) ? this.#count(chatUsage(event, [])) : undefined;
    try {
      this.#readData(data, event);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.unreadable = error;
    }
  }

  #readData(data: string, event: unknown): void {
    if (event !== undefined) return this.#readEvent(event);
    const lines = data.includes("\n") ? data.split("\n") : [data];
    for (const line of lines) this.#readLine(line.trim());
  }

  /** Reads JSON outside of events: an error, or a response in one piece, which is complete. */
  readWhole(json: string): void {
    const event = parse(json);
    if (this.isDone || event === undefined) return;
    this.#unknown ??= event;
    this.#readEvent(event);
    const { choices } = isObject(event) ? event : {};
    this.isDone = Array.isArray(choices) && choices.some((choice) => isObject(choice) && isObject(choice["message"]));
  }

  #readLine(line: string): void {
    if (this.isDone || line === "") return;
    if (line.toUpperCase() === "[DONE]") return void (this.isDone = true);
    const event = parse(line);
    if (event !== undefined) return this.#readEvent(event);
    // Other lines are comments, which a gateway has wrapped (mnfst/llm-gateway#2053). All chunks are objects.
    if (!this.isCutOff && /^[{[]/.test(line)) throw new JSONParseError({ text: line, cause: undefined });
  }

  #readEvent(json: unknown): void {
    const event: unknown = Array.isArray(json) && json.length === 1 ? json[0] : json;
    if (!isObject(event)) return;
    this.#onFingerprint(event["system_fingerprint"]);
    const { choices } = event;
    const list = Array.isArray(choices) ? choices.filter(isObject) : [];
    const usage = chatUsage(event, list);
    this.#count(usage);
    const error = readError(event) ?? firstError(list);
    if (error) return this.#readError(error);
    if (usage || choices === null || Array.isArray(choices)) this.#isKnown = true;
    else if (!pings.test(String(event["type"])) && Object.keys(event).length > 0) this.#unknown ??= event;
    if (!this.#hasMetadata) this.#addMetadata(event);
    for (const choice of list) this.#readChoice(choice);
  }

  /** After its finish reason, an answer is complete, whatever fails then. */
  #readError(error: JsonRecord): void {
    this.#isKnown = true;
    if (this.#reason !== undefined && !interruptedReason.test(this.#reason)) return void (this.isDone = true);
    this.#parts.push({ type: "error", error });
  }

  /** Counts of 0 do not replace others. */
  #count(usage: LanguageModelV4Usage | undefined): void {
    const isZero = !usage?.inputTokens.total && !usage?.outputTokens.total;
    if (usage && !(isZero && this.#usage)) this.#response.onUsage((this.#usage = usage));
  }

  #addMetadata({ id, model }: JsonRecord): void {
    if (!toText(id) && !toText(model)) return;
    this.#hasMetadata = true;
    const names = { ...(typeof id === "string" && { id }), ...(typeof model === "string" && { modelId: model }) };
    this.#parts.push({ type: "response-metadata", ...names });
  }

  /** The service asks for one choice. A server that sends more has the answer in the first. */
  #readChoice({ index, delta, message, finish_reason: reason }: JsonRecord): void {
    if (index !== undefined && index !== null && Number(index) !== 0) return;
    if (isObject(delta)) this.#readDelta(delta);
    else if (isObject(message)) this.#readDelta(this.#withoutRepeated(message));
    if (typeof reason !== "string" || reason === "") return;
    if (this.#reason === undefined) this.#response.expectEnd();
    this.#reason = reason;
  }

  /** Some servers end a stream with the whole message. Its calls have the ids of those that arrived. */
  #withoutRepeated(message: JsonRecord): JsonRecord {
    const isRepeated = this.#text !== "" && message["content"] === this.#text;
    return isRepeated ? { tool_calls: message["tool_calls"] } : message;
  }

  #readDelta(delta: JsonRecord): void {
    const { content, refusal, reasoning_content, reasoning, reasoning_details, tool_calls, function_call } = delta;
    this.#addText("reasoning", toText(reasoning_content) || toText(reasoning));
    if (typeof content === "string") this.#addText("text", content);
    else for (const { kind, text } of readContent(content)) this.#addText(kind, text);
    if (typeof refusal === "string" && refusal !== "") {
      this.#hasRefusal = true;
      this.#addText("text", refusal);
    }
    if (Array.isArray(reasoning_details)) addDetails(this.#details, reasoning_details);
    if (Array.isArray(tool_calls)) for (const call of tool_calls.filter(isObject)) this.#addCall(call);
    // The form of one call before there were several.
    if (isObject(function_call)) this.#addCall({ index: 0, function: function_call });
  }

  #addText(kind: "text" | "reasoning", delta: string | undefined): void {
    if (!delta) return;
    const id = `${kind}-0`;
    if (this.#open !== kind) {
      this.#close();
      this.#open = kind;
      this.#parts.push({ type: `${kind}-start`, id });
    }
    this.#isEmpty = false;
    if (kind === "text") this.#text += delta;
    this.#parts.push({ type: `${kind}-delta`, id, delta });
  }

  #addCall(part: JsonRecord): void {
    if (this.#open === "reasoning") this.#close();
    this.#isEmpty = false;
    this.#parts.push(...this.#calls.add(part));
  }

  #close(): void {
    if (this.#open) this.#parts.push({ type: `${this.#open}-end`, id: `${this.#open}-0` });
    this.#open = undefined;
  }

  /** The last parts. */
  end(): Part[] {
    if (this.unreadable && !this.hasReason) throw this.unreadable;
    if (this.#unknown !== undefined && !this.#isKnown) {
      throw new InvalidResponseDataError({ data: this.#unknown, message: "the response has no choices" });
    }
    this.#close();
    this.#parts.push(...this.#calls.end(), {
      type: "finish",
      finishReason: this.#finishReason(),
      usage: this.#usage ?? unknownUsage,
      ...(this.#details.length > 0 && {
        providerMetadata: { openaiCompatible: { reasoning_details: this.#details } },
      }),
    });
    return this.take();
  }

  /** Some servers send no finish reason, but say that the answer is complete (anomalyco/opencode#43882). */
  #finishReason(): LanguageModelV4FinishReason {
    const complete = this.isDone && !this.#isEmpty;
    const raw = this.#reason ?? (complete ? "[DONE]" : undefined);
    const unified = this.#calls.count > 0 ? "tool-calls" : "stop";
    const known = raw === "[DONE]" ? unified : (finishReasons[raw ?? ""] ?? "other");
    return { raw, unified: known === "stop" && this.#hasRefusal ? "content-filter" : known };
  }
}

function firstError(choices: JsonRecord[]): JsonRecord | undefined {
  for (const choice of choices) {
    const error = readError(choice);
    if (error) return error;
  }
  return undefined;
}

const finishReasons: Partial<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
};

/** Undefined: the text is not JSON. Arguments that are an object keep the digits of their numbers. */
function parse(text: string): unknown {
  try {
    return text.includes('"arguments"') && /"arguments"\s*:\s*\{/.test(text) ? parseExact(text) : JSON.parse(text);
  } catch {
    return undefined;
  }
}
