import type { ServerResponse } from "node:http";
import { anthropic } from "../../src/agent/models/anthropic.ts";
import type { SentMessage, SentPart, ScriptedResponse, ProviderFixture } from "./provider-fixture.ts";

const credential = "sk-ant-test-0123456789abcdef";
const stopReasons = { stop: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" };
const errorTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic's Messages API, streamed as server-sent events. */
export const anthropicFixture: ProviderFixture = {
  name: "anthropic",
  credential,
  countsCacheWrites: true,
  open: (baseUrl, { model = "claude-sonnet-4-5", idleTimeout } = {}) =>
    anthropic({ baseUrl, model, apiKey: credential, ...(idleTimeout !== undefined && { idleTimeout }) })(),
  send(response, script, part) {
    startStream(response);
    const events = eventsOf(script);
    sendEvents(response, ...(part ? events.slice(0, 4) : events));
  },
  sendError(response, message) {
    sendEvents(response, { type: "error", error: { type: "overloaded_error", message } });
    response.end();
  },
  error: (status, message) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message },
    request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
  }),
  read({ url, body, headers }) {
    if (url !== "/v1/messages") throw new Error(`no such path: ${url}`);
    if (headers["x-api-key"] !== credential) throw new Error("no key");
    if (headers["anthropic-version"] === undefined) throw new Error("no version");
    const system = body["system"] as { text: string }[] | undefined;
    const calls = (body.messages as ApiMessage[]).some(({ content }) =>
      content.some(({ type }) => type === "tool_use"),
    );
    const tools = ((body["tools"] ?? []) as { name: string }[]).map(({ name }) => name);
    if (calls && tools.length === 0) throw new Error("Requests which include `tool_use` blocks must define tools");
    return {
      streamed: body["stream"] === true,
      model: body["model"] as string,
      instructions: system?.map(({ text }) => text).join("\n"),
      tools,
      temperature: body["temperature"],
      effort: body["thinking"],
      maxOutputTokens: body["max_tokens"],
      messages: (body.messages as ApiMessage[]).map(sent),
    };
  },
};

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
}

export function sendEvents(response: ServerResponse, ...events: Event[]): void {
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

export function eventsOf({ reasoning, text, calls = [], finish = "stop", usage }: ScriptedResponse): Event[] {
  const { input = 10, output = 5, cached = 0, written = 0, reasoning: thinking } = usage ?? {};
  const blocks: { start: object; deltas: object[] }[] = [];
  if (reasoning) {
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: reasoning.text },
        { type: "signature_delta", signature: reasoning.signature },
      ],
    });
  }
  if (text) {
    blocks.push({
      start: { type: "text", text: "" },
      deltas: text.map((piece) => ({ type: "text_delta", text: piece })),
    });
  }
  for (const { id, name, arguments: pieces } of calls) {
    blocks.push({
      start: { type: "tool_use", id, name, input: {} },
      deltas: pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    });
  }
  return [
    {
      type: "message_start",
      message: {
        id: "msg_01XFDUDYJgAACzvnptvVoYEL",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5-20250929",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          // Excludes cached tokens.
          input_tokens: input - cached - written,
          cache_creation_input_tokens: written,
          cache_read_input_tokens: cached,
          output_tokens: 1,
        },
      },
    },
    { type: "ping" },
    ...blocks.flatMap(({ start, deltas }, index) =>
      [
        [{ type: "content_block_start", index, content_block: start }],
        deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        [{ type: "content_block_stop", index }],
      ].flat(),
    ),
    {
      type: "message_delta",
      delta: { stop_reason: stopReasons[finish], stop_sequence: null },
      usage: {
        output_tokens: output,
        ...(thinking !== undefined && { output_tokens_details: { thinking_tokens: thinking } }),
      },
    },
    { type: "message_stop" },
  ];
}

interface Event {
  type: string;
  [field: string]: unknown;
}

interface ApiMessage {
  role: "user" | "assistant";
  content: { type: string; [field: string]: unknown }[];
}

function sent({ role, content }: ApiMessage): SentMessage {
  return { role, parts: content.map(sentPart) };
}

function sentPart(part: ApiMessage["content"][number]): SentPart {
  const { source, content } = part as { source?: { data: string; media_type: string }; content?: unknown };
  switch (part.type) {
    case "text":
      return { text: String(part["text"]) };
    case "thinking":
      return { reasoning: String(part["thinking"]), signature: String(part["signature"]) };
    case "tool_use":
      return { call: String(part["id"]), name: String(part["name"]), input: part["input"] };
    case "tool_result":
      return {
        result: String(part["tool_use_id"]),
        text: typeof content === "string" ? content : (content as { text: string }[]).map(({ text }) => text).join(""),
      };
    default:
      return { file: source?.data ?? "", mediaType: source?.media_type ?? "" };
  }
}
