import { beforeEach, expect, test, vi } from "vitest";
import { openModel } from "../../src/agent/models/open-model.ts";
import { wireRequest } from "../../src/agent/models/wire-request.ts";
import type { Message, ModelConfiguration, ModelRequest, SentRequest } from "../../src/agent/model.ts";
import { anthropicFixture } from "./anthropic-fixture.ts";
import { bedrockFixture, credentials } from "./bedrock-fixture.ts";
import { request } from "./call-model.ts";
import { png } from "./pictures.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { openAiFixture } from "./openai-fixture.ts";
import { responsesFixture } from "./responses-fixture.ts";
import { type ProviderFixture, rejects, streamsResponse } from "./provider-fixture.ts";

const picture = png(9_000, 10);
const call = { id: "call_1", name: "list_files", input: {} };
/** A conversation with a tool call and a file that the model sees. */
const conversation: Message[] = [
  {
    role: "user",
    text: "Look. 日本 🚀",
    attachments: [{ name: "a.png", mediaType: "image/png", sha256: "0".repeat(64) }],
  },
  { role: "assistant", answer: { text: "I look.", toolCalls: [call] } },
  { role: "tool", results: [{ callId: call.id, name: call.name, text: "a.png" }] },
];
const readAttachment = async () => picture;
const parameters = { temperature: 0.5, maxOutputTokens: 900 };
const answer = (provider: ProviderFixture): Reply =>
  streamsResponse(provider, { text: ["Hi."], usage: { input: 9, output: 3 } });

const openai = (baseUrl: string): ModelConfiguration => ({
  enabled: true,
  provider: "openai-compatible",
  baseUrl,
  model: "m",
  secret: "env:KEY",
});
const responses = (baseUrl: string): ModelConfiguration => ({
  enabled: true,
  provider: "openai-responses",
  baseUrl,
  model: "m",
  secret: "env:KEY",
});
const anthropic = (baseUrl: string): ModelConfiguration => ({
  enabled: true,
  provider: "anthropic",
  baseUrl,
  model: "claude-sonnet-4-5",
  secret: "env:KEY",
});
const bedrock = (baseUrl: string): ModelConfiguration => ({
  enabled: true,
  provider: "bedrock",
  baseUrl: new URL(baseUrl).origin,
  region: "eu-central-1",
  model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
});

interface Case {
  provider: ProviderFixture;
  configuration: (baseUrl: string) => ModelConfiguration;
  /** Errors of the server before it answers: status and message. */
  errors?: [number, string][];
  more?: Partial<ModelRequest>;
  /** The form of the last request. */
  form: object;
}

const withoutTools = { tools: [] };
const cases: Record<string, Case> = {
  "a chat completions server": { provider: openAiFixture, configuration: openai, form: {} },
  "a server that needs two settings": {
    provider: openAiFixture,
    configuration: openai,
    errors: [
      [400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."],
      [422, "body.stream_options: Extra inputs are not permitted"],
    ],
    form: { compat: { maxTokensField: "max_completion_tokens", supportsStreamOptions: false } },
  },
  "a server that accepts no files": {
    provider: openAiFixture,
    configuration: openai,
    errors: [[400, "This model does not support image input."]],
    form: { withoutFiles: true },
  },
  "a server that accepts fewer output tokens": {
    provider: openAiFixture,
    configuration: openai,
    errors: [[400, "max_tokens is too large: 900. This model supports at most 500 completion tokens."]],
    form: { maxOutputTokens: 500 },
  },
  "a server that accepts smaller pictures": {
    provider: openAiFixture,
    configuration: openai,
    errors: [[400, "At least one of the image dimensions exceed max allowed size: 8000 pixels"]],
    form: { imageLimit: { side: 8000 } },
  },
  "a server that accepts no calls without tools": {
    provider: openAiFixture,
    configuration: openai,
    errors: [[400, "tools must be set when the conversation has tool calls"]],
    more: withoutTools,
    form: { callsAsText: true },
  },
  "a server with the Responses API": {
    provider: responsesFixture,
    configuration: responses,
    more: { cacheKey: "run-1", result: { type: "object", properties: {} } },
    form: { resultFormat: "tool" },
  },
  "a server whose Responses API has results of a schema": {
    provider: responsesFixture,
    configuration: (baseUrl) => ({ ...responses(baseUrl), compat: { resultFormat: "native" } }),
    more: { result: { type: "object", properties: {} } },
    form: { resultFormat: "native" },
  },
  "a server that rejects two fields of the Responses API": {
    provider: responsesFixture,
    configuration: responses,
    errors: [
      [400, "Your organization must be verified to generate reasoning summaries."],
      [400, "Encrypted content is not supported with this model."],
    ],
    form: { compat: { reasoningSummary: "omit", reasoningContent: "omit" } },
  },
  "a server with the Responses API that accepts no files": {
    provider: responsesFixture,
    configuration: responses,
    errors: [[400, "This model does not support image input."]],
    form: { withoutFiles: true },
  },
  Anthropic: { provider: anthropicFixture, configuration: anthropic, form: {} },
  "Anthropic, without tools": {
    provider: anthropicFixture,
    configuration: anthropic,
    more: withoutTools,
    form: { callsAsText: true },
  },
  Bedrock: { provider: bedrockFixture, configuration: bedrock, form: {} },
  "Bedrock, without the prompt cache": {
    provider: bedrockFixture,
    configuration: bedrock,
    errors: [[403, "your request did not allow prompt caching"]],
    form: { withoutCachePoints: true },
  },
};

beforeEach(() => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", undefined);
  return () => vi.unstubAllEnvs();
});

test.each(Object.entries(cases))("the request to %s is recorded, and rebuilt byte for byte", async (_, each) => {
  const { provider, configuration, errors = [], more = {}, form } = each;
  const replies = errors.map(([status, message]) =>
    rejects(provider, status, message, { "x-request-id": `r${status}` }),
  );
  await using server = await modelServer(...replies, answer(provider));
  const opened = await openModel(configuration(server.baseUrl), undefined, async () => provider.credential);
  if ("failure" in opened) throw new Error(opened.failure.title);
  const sent: SentRequest[] = [];
  const onSent = (one: SentRequest): void => void sent.push(one);
  const asked = request({ messages: conversation, parameters, readAttachment, onSent, ...more });
  const outcome = await opened.model(asked);

  expect("answer" in outcome && outcome.received).toMatchObject({
    reason: expect.any(String),
    usage: expect.any(Object),
  });
  expect(sent.map(({ status }) => status)).toEqual([...errors.map(([status]) => status), 200]);
  expect(sent.map(({ requestId }) => requestId).slice(0, errors.length)).toEqual(
    errors.map(([status]) => `r${status}`),
  );
  const { sha256: _hash, bytes, status: _status, requestId: _id, ...last } = sent.at(-1) ?? {};
  expect(last).toEqual(form);
  const { signal: _signal, onSent: _onSent, ...again } = asked;
  const rebuilt = await wireRequest(configuration(server.baseUrl), undefined, again, last);
  const received = server.received.at(-1);
  expect(rebuilt?.body).toBe(received?.text);
  expect(Buffer.byteLength(received?.text ?? "")).toBe(bytes);
  expect(new URL(rebuilt?.url ?? "").pathname).toBe(new URL(received?.url ?? "", server.baseUrl).pathname);
  expect(JSON.stringify(rebuilt)).not.toContain(provider.credential);
  expect(JSON.stringify(rebuilt?.headers)).toMatch(/\$(MODEL_API_KEY|AWS_BEARER_TOKEN_BEDROCK)"/);
});

test("a request without a response is recorded, and one that is aborted", async () => {
  const abort = new AbortController();
  const hangs: Reply = () => abort.abort();
  await using server = await modelServer((response) => void response.destroy(), hangs);
  const opened = await openModel(openai(server.baseUrl), undefined, async () => "key");
  if ("failure" in opened) throw new Error(opened.failure.title);
  const sent: SentRequest[] = [];
  const onSent = (one: SentRequest): void => void sent.push(one);
  expect(await opened.model(request({ onSent }))).toHaveProperty("failure");
  await expect(opened.model(request({ onSent, signal: abort.signal }))).rejects.toThrow("aborted");
  expect(sent).toMatchObject([{ bytes: server.received[0]?.text.length }, { bytes: server.received[1]?.text.length }]);
  expect(sent.some((one) => "status" in one)).toBe(false);
});
