import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Message } from "../../src/agent/model.ts";
import { responsesSuite } from "./responses.contract.ts";
import { answerOf, callModel, failureOf, request } from "./call-model.ts";
import { conversationSuite } from "./conversation.contract.ts";
import { bedrockFixture as provider, credentials, eventsOf, frame, startStream } from "./bedrock-fixture.ts";
import { failuresSuite } from "./failures.contract.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { rejects, streamsResponse } from "./provider-fixture.ts";

interface ConverseBody {
  system: object[];
  messages: { content: object[] }[];
}

const point = { cachePoint: { type: "default" } };
const pointsIn = (body: unknown): number => JSON.stringify(body).split("cachePoint").length - 1;

const hi = streamsResponse(provider, { text: ["Hi."] });

/** Sends the beginning of a response and these bytes, then closes the connection. */
function half(...frames: Buffer[]): Reply {
  return (response) => {
    provider.send(response, { text: ["Half", " of it."] }, "beginning");
    for (const each of frames) response.write(each);
    response.end();
  };
}

/** A text with a citation of a PDF. */
const cited: Reply = (response) => {
  startStream(response);
  for (const [type, payload] of eventsOf({ text: ["On page 2."] })) {
    response.write(frame(type, payload));
    if (type !== "contentBlockDelta") continue;
    const citation = { title: "b", location: { documentPage: { documentIndex: 0, start: 2, end: 2 } } };
    response.write(frame(type, { contentBlockIndex: 0, delta: { citation } }));
  }
  response.end();
};

beforeEach(() => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", undefined);
  return () => vi.unstubAllEnvs();
});

describe("bedrock", () => {
  responsesSuite(provider);
  conversationSuite(provider, { signed: true });
  failuresSuite(provider);

  it("accepts the ARN of an inference profile", async () => {
    const model = "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3";
    const { sent } = await callModel(provider, hi, {}, { model });
    expect(sent[0]?.model).toBe(model);
  });

  it.each([
    [
      "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "low",
      { thinking: { type: "enabled", budget_tokens: 6_400 } },
      2_000 + 6_400,
    ],
    ["openai.gpt-oss-120b-1:0", "high", { reasoning_effort: "high" }, 2_000],
    [
      "us.amazon.nova-2-lite-v1:0",
      "medium",
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } },
      2_000,
    ],
    ["eu.meta.llama3-2-3b-instruct-v1:0", "medium", undefined, 2_000],
  ] as const)("sends %s the effort %s in its own format", async (model, reasoningEffort, fields, maxTokens) => {
    const parameters = { reasoningEffort, maxOutputTokens: 2_000 };
    const { received, sent } = await callModel(provider, hi, { parameters }, { model });
    expect(received[0]?.body["additionalModelRequestFields"]).toEqual(fields);
    expect(sent[0]?.maxOutputTokens).toBe(maxTokens);
  });

  it("sends a service tier, and refuses one that it does not have", async () => {
    const { received } = await callModel(provider, hi, { parameters: { serviceTier: "flex" } });
    expect(received[0]?.body["serviceTier"]).toEqual({ type: "flex" });
    const other = await callModel(provider, hi, { parameters: { serviceTier: "auto" } });
    expect(other.received).toEqual([]);
    expect(other.outcome).toMatchObject({
      failure: {
        category: "model_configuration",
        title: "Bedrock's Converse API has no service tier 'auto'.",
        remedy: "Set parameters.serviceTier of the agent to one of default, flex, priority, reserved, or remove it.",
      },
    });
  });

  it("sets cache points after the system prompt and the last message", async () => {
    const calls: Message[] = [
      { role: "user", text: "Look." },
      { role: "assistant", answer: { text: "", toolCalls: [{ id: "1", name: "list_files", input: {} }] } },
      { role: "tool", results: [{ callId: "1", name: "list_files", text: "None." }] },
    ];
    for (const messages of [calls.slice(0, 1), calls]) {
      const { received } = await callModel(provider, hi, { messages });
      const body = received[0]?.body as unknown as ConverseBody | undefined;
      expect(body?.system).toEqual([{ text: "Be brief." }, point]);
      expect(body?.messages.at(-1)?.content.at(-1)).toEqual(point);
      expect(pointsIn(body)).toBe(2);
    }
    const { received: last } = await callModel(provider, hi, { tools: [] });
    expect(pointsIn(last[0]?.body)).toBe(0);
  });

  it.each([
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 2],
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", 2],
    ["global.anthropic.claude-opus-4-6-v1", 2],
    ["arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0", 2],
    ["amazon.nova-pro-v1:0", 2],
    ["us.amazon.nova-2-lite-v1:0", 2],
    ["anthropic.claude-3-haiku-20240307-v1:0", 0],
    ["anthropic.claude-3-5-sonnet-20241022-v2:0", 0],
    ["openai.gpt-oss-120b-1:0", 0],
    ["eu.meta.llama3-2-3b-instruct-v1:0", 0],
    ["arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3", 0],
  ])("sends %s %i cache points", async (model, points) => {
    const { received } = await callModel(provider, hi, {}, { model });
    expect(pointsIn(received[0]?.body)).toBe(points);
  });

  it.each([
    [400, "Malformed input request: #/messages/0/content/1: extraneous key [cachePoint] is not permitted"],
    [403, "You invoked an unsupported model or your request did not allow prompt caching."],
  ])("sends no cache points after they were rejected with %i", async (status, words) => {
    await using server = await modelServer(rejects(provider, status, words), hi, hi);
    const model = provider.open(server.baseUrl);
    expect(answerOf(await model(request())).text).toBe("Hi.");
    expect(answerOf(await model(request())).text).toBe("Hi.");
    expect(server.received.map(({ body }) => pointsIn(body))).toEqual([2, 0, 0]);
  });

  it.each([
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 3, 1],
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", undefined, 0],
    ["amazon.nova-pro-v1:0", 3, 0],
  ])("shows %s the pages of a PDF of %o pages with citations: %i", async (model, pages, count) => {
    const file = { name: "b.pdf", mediaType: "application/pdf", ...(pages !== undefined && { pages }) };
    const more = {
      messages: [{ role: "user" as const, text: "Read.", attachments: [file] }],
      readAttachment: async () => new TextEncoder().encode("%PDF-1.7"),
      result: { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    };
    const { outcome, received } = await callModel(provider, cited, more, { model });
    expect(answerOf(outcome).text).toBe("On page 2.");
    const body = JSON.stringify(received[0]?.body);
    expect(body.split('"citations":{"enabled":true}').length - 1).toBe(count);
    // The format of results excludes citations.
    if (count > 0) expect(body).toContain('"name":"submit_result"');
  });

  it("sends the same PDF twice under two names", async () => {
    const file = { name: "b.pdf", mediaType: "application/pdf" };
    const { received } = await callModel(provider, hi, {
      messages: [{ role: "user", text: "Compare.", attachments: [file, { ...file }] }],
      readAttachment: async () => new TextEncoder().encode("%PDF-1.7"),
    });
    const names = JSON.stringify(received[0]?.body).match(/"name":"document-\d"/g);
    expect(names).toEqual(['"name":"document-1"', '"name":"document-2"']);
  });

  it.each([
    ["throttlingException", "model_unavailable", true],
    ["internalServerException", "model_unavailable", true],
    ["modelStreamErrorException", "model_unavailable", true],
    ["validationException", "model_refused", false],
  ] as const)("classifies the exception %s in the stream", async (type, category, retryable) => {
    const { outcome } = await callModel(provider, half(frame(type, { message: "Said so" }, "exception")));
    expect(failureOf(outcome)).toMatchObject({ category, retryable, title: expect.stringContaining("Said so") });
  });

  it.each(["malformed_tool_use", "malformed_model_output"])(
    "returns an empty answer for the stop reason %s",
    async (reason) => {
      const { outcome } = await callModel(provider, (response) => {
        startStream(response);
        for (const [type, payload] of eventsOf({ text: ["Let me look."] })) {
          response.write(frame(type, type === "messageStop" ? { stopReason: reason } : payload));
        }
        response.end();
      });
      const usage = { inputTokens: 10, outputTokens: 5 };
      expect(answerOf(outcome)).toEqual({ text: "", toolCalls: [], finishReason: "other", usage });
    },
  );

  const next = frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "more" } });
  const damaged = Buffer.from(next);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 8) ^ 1, damaged.length - 8);

  it.each([
    ["an unknown exception", frame("modelTimeoutException", { message: "Too slow" }, "exception")],
    ["a stream that ends within a message", next.subarray(0, 40)],
    ["a message with a wrong checksum", damaged],
  ])("treats %s as an interrupted response", async (_, bytes) => {
    const { outcome } = await callModel(provider, half(bytes));
    expect(failureOf(outcome)).toMatchObject({ category: "model_unavailable", retryable: true });
  });

  it("reads messages split at any byte", async () => {
    const { outcome } = await callModel(provider, async (response) => {
      startStream(response);
      const bytes = Buffer.concat(eventsOf({ text: ["Hel", "lo."] }).map(([type, payload]) => frame(type, payload)));
      for (let at = 0; at < bytes.length; at += 97) {
        response.write(bytes.subarray(at, at + 97));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(answerOf(outcome).text).toBe("Hello.");
  });

  it("does not show the session token that an error repeats", async () => {
    const canonical = `x-amz-security-token:${credentials.AWS_SESSION_TOKEN}`;
    const { outcome } = await callModel(
      provider,
      rejects(
        provider,
        403,
        `The request signature we calculated does not match. The Canonical String was ${canonical}`,
      ),
    );
    expect(failureOf(outcome)).toMatchObject({ category: "model_configuration" });
    expect(failureOf(outcome).title).toContain("x-amz-security-token:[API key]");
    expect(JSON.stringify(outcome)).not.toContain(credentials.AWS_SESSION_TOKEN);
  });

  it("reports missing AWS credentials without a request", async () => {
    for (const name of Object.keys(credentials)) vi.stubEnv(name, undefined);
    await using server = await modelServer(hi);
    const failure = failureOf(await provider.open(server.baseUrl)(request()));
    expect(failure).toMatchObject({
      category: "model_configuration",
      retryable: false,
      title: expect.stringContaining("no AWS credentials"),
    });
    expect(server.received).toHaveLength(0);
  });

  it("sends the Bedrock API key of the environment instead of a signature", async () => {
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M");
    await using server = await modelServer(
      hi,
      rejects(provider, 403, "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M is old"),
    );
    const model = provider.open(server.baseUrl);
    answerOf(await model(request()));
    expect(server.received[0]?.headers.authorization).toBe("Bearer bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M");
    expect(failureOf(await model(request())).title).toContain("[API key] is old");
  });
});
