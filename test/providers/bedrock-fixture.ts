import { crc32 } from "node:zlib";
import type { ServerResponse } from "node:http";
import { bedrock } from "../../src/agent/models/bedrock.ts";
import type { SentMessage, SentPart, ScriptedResponse, ProviderFixture } from "./provider-fixture.ts";

/** Set in the environment by the tests. */
export const credentials = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  AWS_SESSION_TOKEN: "FwoGZXIvYXdzEXAMPLETOKEN//////////wEaDO",
};

const stopReasons = { stop: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "guardrail_intervened" };
const defaultModel = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

/** Amazon Bedrock's Converse API, streamed as the binary event stream of AWS. */
export const bedrockFixture: ProviderFixture = {
  name: "bedrock",
  credential: credentials.AWS_SESSION_TOKEN,
  countsCacheWrites: true,
  open: (baseUrl, { model = defaultModel, idleTimeout } = {}) =>
    bedrock({
      baseUrl: new URL(baseUrl).origin,
      model,
      region: "eu-central-1",
      ...(idleTimeout !== undefined && { idleTimeout }),
    })(),
  send(response, script, part) {
    startStream(response);
    const events = eventsOf(script);
    for (const [type, payload] of part ? events.slice(0, 3) : events) response.write(frame(type, payload));
  },
  sendError(response, message) {
    response.write(frame("serviceUnavailableException", { message }, "exception"));
    response.end();
  },
  error: (_, message) => ({ message }),
  read({ url = "", body, headers }) {
    const [, model = ""] = /^\/model\/([^/]+)\/converse-stream$/.exec(url) ?? [];
    if (model === "") throw new Error(`no such path: ${url}`);
    const scope = /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /;
    if (!scope.test(headers.authorization ?? "")) throw new Error(`not signed: ${headers.authorization}`);
    if (headers["x-amz-security-token"] !== credentials.AWS_SESSION_TOKEN) throw new Error("no session token");
    const { tools = [] } = (body["toolConfig"] ?? {}) as { tools?: { toolSpec: { name: string } }[] };
    const wireMessages = body.messages as ApiMessage[];
    if (tools.length === 0 && wireMessages.some(({ content }) => content.some((part) => "toolUse" in part))) {
      throw new Error("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
    }
    const { temperature, maxTokens } = (body["inferenceConfig"] ?? {}) as Record<string, unknown>;
    const { thinking } = (body["additionalModelRequestFields"] ?? {}) as Record<string, unknown>;
    return {
      streamed: true,
      model: decodeURIComponent(model),
      instructions: (body["system"] as { text?: string }[] | undefined)?.flatMap(({ text }) => text ?? []).join("\n"),
      tools: tools.map(({ toolSpec }) => toolSpec.name),
      temperature,
      effort: thinking,
      maxOutputTokens: maxTokens,
      messages: wireMessages.map(sent),
    };
  },
};

export function startStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "application/vnd.amazon.eventstream",
    "x-amzn-requestid": "5b2a1c3e-7c0f-4b57-9d4e-1f2a3b4c5d6e",
  });
}

/** One message of the AWS event stream: lengths, headers and payload, with CRC-32 checksums. */
export function frame(type: string, payload: object, messageType: "event" | "exception" = "event"): Buffer {
  const fields = { [`:${messageType}-type`]: type, ":content-type": "application/json", ":message-type": messageType };
  const headers = Buffer.concat(
    Object.entries(fields).map(([name, value]) => {
      const bytes = Buffer.from(value);
      const head = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, 0, bytes.length])]);
      return Buffer.concat([head, bytes]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

/** Events have a padding field `p`, which Bedrock adds against traffic analysis. */
export function eventsOf({
  reasoning,
  text,
  calls = [],
  finish = "stop",
  usage,
}: ScriptedResponse): [string, object][] {
  const { input = 10, output = 5, cached = 0, written = 0 } = usage ?? {};
  const events: [string, object][] = [["messageStart", { role: "assistant", p: "abcdefghijkl" }]];
  let contentBlockIndex = 0;
  const block = (deltas: object[], start?: object) => {
    if (start) events.push(["contentBlockStart", { contentBlockIndex, start, p: "abcdef" }]);
    for (const delta of deltas) events.push(["contentBlockDelta", { contentBlockIndex, delta, p: "abc" }]);
    events.push(["contentBlockStop", { contentBlockIndex, p: "abcdefgh" }]);
    contentBlockIndex++;
  };
  if (reasoning) {
    const { text: thought, signature } = reasoning;
    block([{ reasoningContent: { text: thought } }, { reasoningContent: { signature } }]);
  }
  if (text) block(text.map((piece) => ({ text: piece })));
  for (const { id, name, arguments: pieces } of calls) {
    const deltas = pieces.map((piece) => ({ toolUse: { input: piece } }));
    block(deltas, { toolUse: { toolUseId: id, name } });
  }
  events.push(["messageStop", { stopReason: stopReasons[finish], p: "abcd" }]);
  events.push([
    "metadata",
    {
      usage: {
        // Excludes cached tokens.
        inputTokens: input - cached - written,
        outputTokens: output,
        totalTokens: input + output,
        cacheReadInputTokens: cached,
        cacheWriteInputTokens: written,
      },
      metrics: { latencyMs: 812 },
      p: "abcdefghij",
    },
  ]);
  return events;
}

interface ApiMessage {
  role: "user" | "assistant";
  content: Record<string, unknown>[];
}

function sent({ role, content }: ApiMessage): SentMessage {
  const parts = content.filter((part) => !("cachePoint" in part));
  return { role, parts: parts.map((part) => sentPart(part as Record<string, never>)) };
}

function sentPart(part: Partial<Record<string, Record<string, never>>> & { text?: string }): SentPart {
  const { text, toolUse, toolResult, reasoningContent, image, document } = part;
  if (text !== undefined) return { text };
  if (toolUse) return { call: toolUse["toolUseId"] ?? "", name: toolUse["name"] ?? "", input: toolUse["input"] };
  if (toolResult) {
    const content = (toolResult["content"] ?? []) as { text: string }[];
    return { result: toolResult["toolUseId"] ?? "", text: content.map((each) => each.text).join("") };
  }
  if (reasoningContent) {
    const { text: reasoning, signature } = reasoningContent["reasoningText"] as unknown as Record<string, string>;
    return { reasoning: reasoning ?? "", ...(signature !== undefined && { signature }) };
  }
  const file = (image ?? document) as unknown as { format: string; source: { bytes: string } };
  const mediaType = `${image ? "image" : "application"}/${file.format}`;
  return { file: file.source.bytes, mediaType };
}
