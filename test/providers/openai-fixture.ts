import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import { chunk, send, startStream, toolCallChunk } from "./chat-completions-server.ts";
import type { SentMessage, SentPart, ScriptedResponse, ProviderFixture } from "./provider-fixture.ts";

const credential = "sk-test-0123456789abcdef";
const finishReasons = { stop: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" };

export const openAiFixture: ProviderFixture = {
  name: "openai-compatible",
  credential,
  countsCacheWrites: false,
  open: (baseUrl, { model = "m", idleTimeout } = {}) =>
    openAiCompatible({ baseUrl, model, apiKey: credential, ...(idleTimeout !== undefined && { idleTimeout }) })(),
  send(response, script, part) {
    startStream(response);
    const chunks = chunksOf(script);
    send(response, ...(part ? chunks.slice(0, 2) : [...chunks, "[DONE]"]));
  },
  sendError(response, message) {
    send(response, { error: { message, type: "server_error", code: null } });
    response.end();
  },
  error: (_, message) => ({ error: { message, type: "error", param: null, code: null } }),
  read({ url, body, headers }) {
    if (url !== "/v1/chat/completions") throw new Error(`no such path: ${url}`);
    if (headers.authorization !== `Bearer ${credential}`) throw new Error("no key");
    const [first, ...others] = body.messages as ApiMessage[];
    const instructions = first?.role === "system" ? (first.content as string) : undefined;
    const messages = (instructions === undefined ? body.messages : others) as ApiMessage[];
    return {
      streamed: body["stream"] === true,
      model: body["model"] as string,
      instructions,
      tools: ((body["tools"] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name),
      temperature: body["temperature"],
      effort: body["reasoning_effort"],
      maxOutputTokens: body["max_tokens"],
      messages: messages.map(sent),
    };
  },
};

function chunksOf({ reasoning, text = [], calls = [], finish = "stop", usage }: ScriptedResponse): object[] {
  const longest = Math.max(0, ...calls.map((call) => call.arguments.length));
  return [
    chunk({ role: "assistant", content: "" }),
    ...(reasoning ? [chunk({ reasoning_content: reasoning.text })] : []),
    ...text.map((content) => chunk({ content })),
    ...calls.map(({ id, name }, index) => toolCallChunk(index, { id, name, arguments: "" })),
    // The parts of parallel calls are interleaved.
    ...Array.from({ length: longest }, (_, piece) =>
      calls.flatMap((call, index) => {
        const args = call.arguments[piece];
        return args === undefined ? [] : [toolCallChunk(index, { arguments: args })];
      }),
    ).flat(),
    chunk({}, { finish_reason: finishReasons[finish] }),
    ...(usage
      ? [
          {
            ...chunk({}),
            choices: [],
            usage: {
              prompt_tokens: usage.input,
              completion_tokens: usage.output,
              total_tokens: usage.input + usage.output,
              ...(usage.cached && { prompt_tokens_details: { cached_tokens: usage.cached } }),
              ...(usage.reasoning && { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
            },
          },
        ]
      : []),
  ];
}

interface ApiMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | null | { type: string; [field: string]: unknown }[];
  reasoning_content?: string;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

function sent({ role, content, reasoning_content, tool_call_id, tool_calls = [] }: ApiMessage): SentMessage {
  if (role === "tool") {
    if (typeof content !== "string") throw new Error("the content of a tool message is text");
    return { role: "user", parts: [{ result: tool_call_id ?? "", text: content }] };
  }
  const texts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return {
    role: role === "user" ? "user" : "assistant",
    parts: [
      ...(reasoning_content === undefined ? [] : [{ reasoning: reasoning_content }]),
      ...texts.map(sentPart),
      ...tool_calls.map((call) => ({
        call: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments) as unknown,
      })),
    ],
  };
}

function sentPart(part: { type: string; [field: string]: unknown }): SentPart {
  if (part.type === "text") return { text: String(part["text"]) };
  const { url } = (part["image_url"] ?? {}) as { url?: string };
  const { file_data } = (part["file"] ?? {}) as { file_data?: string };
  const [, mediaType = "", file = ""] = /^data:([^;]+);base64,(.+)$/.exec(url ?? file_data ?? "") ?? [];
  return { file, mediaType };
}
