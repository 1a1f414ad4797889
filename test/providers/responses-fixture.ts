import { openAiResponses } from "../../src/agent/models/openai/openai-responses.ts";
import type { SentMessage, SentPart, ScriptedResponse, ProviderFixture } from "./provider-fixture.ts";
import {
  callItem,
  type Item,
  itemEvents,
  messageItem,
  reasoningItem,
  type ResponseEvent,
  responseOf,
  sendEvents,
  startStream,
  usageOf,
} from "./responses-server.ts";

const credential = "sk-test-0123456789abcdef";

/** OpenAI's Responses API. */
export const responsesFixture: ProviderFixture = {
  name: "openai-responses",
  credential,
  countsCacheWrites: true,
  open: (baseUrl, { model = "m", idleTimeout } = {}) =>
    openAiResponses({ baseUrl, model, apiKey: credential, ...(idleTimeout !== undefined && { idleTimeout }) })(),
  send(response, script, part) {
    startStream(response);
    const events = eventsOfScript(script);
    sendEvents(response, ...(part ? events.slice(0, 5) : events));
  },
  sendError(response, message) {
    sendEvents(response, { type: "error", code: "server_error", message, param: null });
    response.end();
  },
  error: (_, message) => ({ error: { message, type: "error", param: null, code: null } }),
  read({ url, body, headers }) {
    if (url !== "/v1/responses") throw new Error(`no such path: ${url}`);
    if (headers.authorization !== `Bearer ${credential}`) throw new Error("no key");
    const tools = (body["tools"] ?? []) as { type: string; name: string; strict: boolean }[];
    if (tools.some(({ type, strict }) => type !== "function" || strict)) throw new Error("a strict tool");
    if (body["store"] !== false) throw new Error("the response is stored");
    const { effort } = (body["reasoning"] ?? {}) as { effort?: string };
    return {
      streamed: body["stream"] === true,
      model: body["model"] as string,
      instructions: body["instructions"] as string | undefined,
      tools: tools.map(({ name }) => name),
      temperature: body["temperature"],
      effort,
      maxOutputTokens: body["max_output_tokens"],
      messages: messagesOf(body["input"] as ApiItem[]),
    };
  },
};

/** The events of a response. The fifth one has the first part of the text if it begins with a text. */
function eventsOfScript({ reasoning, text, calls = [], finish = "stop", usage }: ScriptedResponse): ResponseEvent[] {
  const cut = finish === "length" ? { status: "incomplete" } : {};
  const items: [Item, string[]][] = [
    ...(reasoning ? [[reasoningItem("rs_1", reasoning.signature, reasoning.text), []] as [Item, string[]]] : []),
    ...(text ? [[messageItem("msg_1", text.join(""), cut), text] as [Item, string[]]] : []),
    ...calls.map(({ id, name, arguments: pieces }): [Item, string[]] => [
      callItem(id, name, pieces.join(""), cut),
      pieces,
    ]),
  ];
  const ends = {
    stop: { status: "completed" },
    calls: { status: "completed" },
    length: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    refusal: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
  };
  const response = responseOf(
    items.map(([item]) => item),
    { ...ends[finish], usage: usage ? usageOf(usage) : null },
  );
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events = items.map(([item, pieces], index) => itemEvents(index, item, pieces));
  return [
    { type: "response.created", response: begun },
    ...interleaved(events),
    { type: `response.${String(response["status"])}`, response },
  ];
}

function isCall([first]: ResponseEvent[]): boolean {
  return (first?.["item"] as Item | undefined)?.["type"] === "function_call";
}

/** Parallel calls are interleaved up to their ends, as some servers send them. */
function interleaved(events: ResponseEvent[][]): ResponseEvent[] {
  const calls = events.filter(isCall);
  const longest = Math.max(0, ...calls.map(({ length }) => length));
  const parts = calls.map((each) => each.slice(0, -1));
  const mixed = Array.from({ length: longest }, (_, n) => parts.flatMap((each) => each[n] ?? [])).flat();
  return [...events.filter((each) => !isCall(each)).flat(), ...mixed, ...calls.flatMap((each) => each.slice(-1))];
}

interface ApiItem {
  type: "message" | "reasoning" | "function_call" | "function_call_output";
  role?: "user" | "assistant";
  content?: string | { type: string; [field: string]: string }[];
  summary?: { text: string }[];
  encrypted_content?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  output?: string;
}

/** The items that a model wrote one after another are one message. */
function messagesOf(items: ApiItem[]): SentMessage[] {
  const messages: SentMessage[] = [];
  for (const item of items) {
    const role = item.type === "function_call_output" || item.role === "user" ? "user" : "assistant";
    const last = messages.at(-1);
    if (role === "assistant" && last?.role === "assistant") last.parts.push(...partsOf(item));
    else messages.push({ role, parts: partsOf(item) });
  }
  return messages;
}

function partsOf({
  type,
  content,
  summary = [],
  encrypted_content,
  call_id = "",
  name = "",
  ...item
}: ApiItem): SentPart[] {
  switch (type) {
    case "message":
      return typeof content === "string" ? [{ text: content }] : (content ?? []).map(sentPart);
    case "reasoning":
      return [
        {
          reasoning: summary.map(({ text }) => text).join("\n\n"),
          ...(encrypted_content !== undefined && { signature: encrypted_content }),
        },
      ];
    case "function_call":
      return [{ call: call_id, name, input: JSON.parse(item.arguments ?? "") as unknown }];
    case "function_call_output":
      return [{ result: call_id, text: item.output ?? "" }];
  }
}

function sentPart({ type, text = "", image_url, file_data }: { type: string; [field: string]: string }): SentPart {
  if (type === "input_text") return { text };
  const [, mediaType = "", file = ""] = /^data:([^;]+);base64,(.+)$/.exec(image_url ?? file_data ?? "") ?? [];
  return { file, mediaType };
}
