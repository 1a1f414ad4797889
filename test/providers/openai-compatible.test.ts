import dns, { type LookupOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { openAiCompatible } from "../../src/agent/models/openai/openai-compatible.ts";
import { responsesSuite } from "./responses.contract.ts";
import { answerOf, callModel, failureOf, request, tools } from "./call-model.ts";
import { chunk, send, startStream, streams } from "./chat-completions-server.ts";
import { openAiFixture as provider } from "./openai-fixture.ts";
import { conversationSuite } from "./conversation.contract.ts";
import { failuresSuite } from "./failures.contract.ts";
import { lastEventSuite } from "./last-event.contract.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { rejects } from "./provider-fixture.ts";

const done = chunk({}, { finish_reason: "stop" });

/** A complete response, not streamed. */
const whole: Reply = (response) => {
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "a", type: "function", function: { name: "list_files", arguments: "{}" } },
      { id: "b", type: "function", function: { name: "read_file", arguments: '{"name":"a.txt"}' } },
    ],
  };
  const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
  const usage = { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", choices, usage }));
};

const hi: Reply = (response) => {
  provider.send(response, { text: ["Hi."] });
  response.end();
};

describe("openai-compatible", () => {
  responsesSuite(provider);
  conversationSuite(provider, { signed: false });
  failuresSuite(provider);
  lastEventSuite(provider);

  it("requests usage and sends the tools' schemas", async () => {
    const { received } = await callModel(provider, streams(chunk({ content: "Hi." }), done));
    expect(received[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(received[0]?.body["tools"]).toEqual(
      tools.map(({ name, description, input }) => ({
        type: "function",
        function: expect.objectContaining({ name, description, parameters: input }),
      })),
    );
  });

  it("needs neither API key nor tools, and accepts a base URL with a trailing slash", async () => {
    await using server = await modelServer(streams(chunk({ content: "Hi." }), done));
    const outcome = await openAiCompatible({ baseUrl: `${server.baseUrl}/`, model: "m" })()(request({ tools: [] }));
    expect(answerOf(outcome)).toMatchObject({ text: "Hi.", usage: { inputTokens: 0, outputTokens: 0 } });
    expect(server.received[0]?.url).toBe("/v1/chat/completions");
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
    expect(server.received[0]?.body).not.toHaveProperty("tools");
  });

  it("sends the reasoning effort and counts reasoning tokens", async () => {
    const { outcome, sent } = await callModel(
      provider,
      (response) => {
        provider.send(response, { text: ["Hi."], usage: { input: 10, output: 90, reasoning: 80 } });
        response.end();
      },
      { parameters: { reasoningEffort: "medium" } },
    );
    expect(sent[0]?.effort).toBe("medium");
    expect(answerOf(outcome).usage).toEqual({ inputTokens: 10, outputTokens: 90, reasoningTokens: 80 });
  });

  it("sends the service tier", async () => {
    const { received } = await callModel(provider, hi, { parameters: { serviceTier: "flex" } });
    expect(received[0]?.body["service_tier"]).toBe("flex");
    const { received: without } = await callModel(provider, hi);
    expect(without[0]?.body).not.toHaveProperty("service_tier");
  });

  it("sends max_completion_tokens to OpenAI's host only", async () => {
    await using server = await modelServer(...[1, 2].map(() => streams(done)));
    // Both host names resolve to this server.
    vi.spyOn(dns, "lookup").mockImplementation(((
      _name: string,
      options: LookupOptions,
      found: Parameters<LookupFunction>[2],
    ) => found(null, options.all ? [{ address: "127.0.0.1", family: 4 }] : "127.0.0.1", 4)) as never);
    const parameters = { maxOutputTokens: 900 };
    for (const host of ["api.openai.com", "openai.com.example"]) {
      const baseUrl = server.baseUrl.replace("127.0.0.1", host);
      answerOf(await openAiCompatible({ baseUrl, model: "m" })()(request({ parameters })));
    }
    vi.restoreAllMocks();
    expect(server.received.map(({ body }) => JSON.stringify(body).match(/"max_\w+":\d+/g))).toEqual([
      ['"max_completion_tokens":900'],
      ['"max_tokens":900'],
    ]);
  });

  it("reports an unknown stop reason as other", async () => {
    const { outcome } = await callModel(
      provider,
      streams(chunk({ content: "Half" }), chunk({}, { finish_reason: "eos" })),
    );
    expect(answerOf(outcome)).toMatchObject({ text: "Half", finishReason: "other" });
  });

  it("reports the refusal field as content filter", async () => {
    const { outcome } = await callModel(provider, streams(chunk({ refusal: "I can't help with that." }), done));
    expect(answerOf(outcome)).toMatchObject({ text: "I can't help with that.", finishReason: "content-filter" });
  });

  it("requests the whole response after streaming was rejected", async () => {
    const refused = rejects(provider, 400, "Unsupported value: 'stream' does not support true with this model.");
    await using server = await modelServer(refused, whole, whole);
    const model = provider.open(server.baseUrl);
    for (const _ of [1, 2]) {
      expect(answerOf(await model(request()))).toMatchObject({
        toolCalls: [{ id: "a", name: "list_files", input: {} }, { id: "b" }],
        finishReason: "tool-calls",
        usage: { inputTokens: 21, outputTokens: 7 },
      });
    }
    expect(server.received.map(({ body }) => body["stream"])).toEqual([true, undefined, undefined]);
  });

  it("accepts a whole response to a streaming request", async () => {
    const { outcome, received } = await callModel(provider, whole);
    expect(answerOf(outcome)).toMatchObject({
      toolCalls: [
        { id: "a", name: "list_files", input: {} },
        { id: "b", name: "read_file", input: { name: "a.txt" } },
      ],
      finishReason: "tool-calls",
      usage: { inputTokens: 21, outputTokens: 7 },
    });
    expect(received).toHaveLength(1);
  });

  it.each([
    [{ error: { message: "Overloaded", code: 503 } }, "model_unavailable", true, "Overloaded"],
    [{ error: "Overloaded" }, "model_unavailable", true, "Overloaded"],
    [{ error: { message: "No such model", code: 404 } }, "model_configuration", false, "No such model"],
    [{ choices: "none" }, "model_answer", false, "cannot be read"],
    [{ hello: 1 }, "model_answer", false, "cannot be read"],
    [null, "model_answer", false, "cannot be read"],
  ])("classifies %j with status 200", async (body, category, retryable, words) => {
    const { outcome } = await callModel(provider, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    expect(failureOf(outcome)).toMatchObject({ category, retryable, title: expect.stringContaining(words) });
  });

  it("shows no user, password or query of the base URL", async () => {
    const failure = failureOf(
      await openAiCompatible({ baseUrl: "http://127.0.0.1:1/v1?token=hush", model: "m" })()(request()),
    );
    expect(failure.title).toContain("http://127.0.0.1:1/v1 could not be reached");
    expect(JSON.stringify(failure)).not.toContain("hush");
  });

  it.each<[string, Reply]>([
    ["truncated JSON", streams('{"id":"x","choices":[{"delta":{"content":"Ha')],
    ["JSON of another format", streams({ result: "text" })],
  ])("is not retryable when the server sends %s", async (_, reply) => {
    const { outcome } = await callModel(provider, reply);
    expect(failureOf(outcome)).toMatchObject({ category: "model_answer", retryable: false });
  });

  it.each([
    [{ error: { message: "Overloaded", code: 503 } }, "model_unavailable", true],
    [{ error: { message: "Overloaded", type: "server_error", code: null } }, "model_unavailable", true],
    [{ error: { message: "Context too long", code: 400 } }, "model_refused", false],
  ] as const)("classifies an error in the stream: %j", async (error, category, retryable) => {
    const { outcome } = await callModel(provider, (response) => {
      startStream(response);
      send(response, chunk({ content: "Half" }), error, "[DONE]");
      response.end();
    });
    expect(failureOf(outcome)).toMatchObject({
      category,
      retryable,
      title: expect.stringContaining(error.error.message),
    });
  });
});
