import dns, { type LookupOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { openAiCompatible } from "../../src/agent/models/openai-compatible.ts";
import { answersSuite } from "./answers.contract.ts";
import { answerOf, ask, failureOf, request, tools } from "./ask.ts";
import { chunk, send, startStream, streams } from "./chat-completions-server.ts";
import { chatCompletions as wire } from "./chat-completions.ts";
import { conversationSuite } from "./conversation.contract.ts";
import { failuresSuite } from "./failures.contract.ts";
import { lastLineSuite } from "./last-line.contract.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { refuses } from "./wire.ts";

const done = chunk({}, { finish_reason: "stop" });

/** One whole answer, not streamed. */
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

describe("openai-compatible", () => {
  answersSuite(wire);
  conversationSuite(wire, { signed: false });
  failuresSuite(wire);
  lastLineSuite(wire);

  it("asks for usage, with the tools' schemas", async () => {
    const { received } = await ask(wire, streams(chunk({ content: "Hi." }), done));
    expect(received[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(received[0]?.body["tools"]).toEqual(
      tools.map(({ name, description, input }) => ({
        type: "function",
        function: expect.objectContaining({ name, description, parameters: input }),
      })),
    );
  });

  it("needs neither key nor tools, and a base URL may end in a slash", async () => {
    await using server = await modelServer(streams(chunk({ content: "Hi." }), done));
    const outcome = await openAiCompatible({ baseUrl: `${server.baseUrl}/`, model: "m" })()(request({ tools: [] }));
    expect(answerOf(outcome)).toMatchObject({ text: "Hi.", usage: { inputTokens: 0, outputTokens: 0 } });
    expect(server.received[0]?.url).toBe("/v1/chat/completions");
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
    expect(server.received[0]?.body).not.toHaveProperty("tools");
  });

  it("sends the reasoning effort as it is, and counts the tokens of reasoning", async () => {
    const { outcome, asked } = await ask(
      wire,
      (response) => {
        wire.send(response, { text: ["Hi."], usage: { input: 10, output: 90, reasoning: 80 } });
        response.end();
      },
      { parameters: { reasoningEffort: "medium" } },
    );
    expect(asked[0]?.effort).toBe("medium");
    expect(answerOf(outcome).usage).toEqual({ inputTokens: 10, outputTokens: 90, reasoningTokens: 80 });
  });

  it("calls the bound of an answer what OpenAI calls it, at OpenAI", async () => {
    await using server = await modelServer(...[1, 2].map(() => streams(done)));
    // Both names lead here.
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

  it("ends by what no other server says as other", async () => {
    const { outcome } = await ask(wire, streams(chunk({ content: "Half" }), chunk({}, { finish_reason: "eos" })));
    expect(answerOf(outcome)).toMatchObject({ text: "Half", finishReason: "other" });
  });

  it("takes a refusal in words for what it is", async () => {
    const { outcome } = await ask(wire, streams(chunk({ refusal: "I can't help with that." }), done));
    expect(answerOf(outcome)).toMatchObject({ text: "I can't help with that.", finishReason: "content-filter" });
  });

  it("asks for the whole answer where the server does not stream, from then on at once", async () => {
    const refused = refuses(wire, 400, "Unsupported value: 'stream' does not support true with this model.");
    await using server = await modelServer(refused, whole, whole);
    const model = wire.open(server.baseUrl);
    for (const _ of [1, 2]) {
      expect(answerOf(await model(request()))).toMatchObject({
        toolCalls: [{ id: "a", name: "list_files", input: {} }, { id: "b" }],
        finishReason: "tool-calls",
        usage: { inputTokens: 21, outputTokens: 7 },
      });
    }
    expect(server.received.map(({ body }) => body["stream"])).toEqual([true, undefined, undefined]);
  });

  it("takes the whole answer from a server that does not care for being asked to stream, in one call", async () => {
    const { outcome, received } = await ask(wire, whole);
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
  ])("takes %j with status 200 for what it says", async (body, category, retryable, words) => {
    const { outcome } = await ask(wire, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    expect(failureOf(outcome)).toMatchObject({ category, retryable, title: expect.stringContaining(words) });
  });

  it("shows neither user nor password nor query of the address", async () => {
    const failure = failureOf(
      await openAiCompatible({ baseUrl: "http://127.0.0.1:1/v1?token=hush", model: "m" })()(request()),
    );
    expect(failure.title).toContain("http://127.0.0.1:1/v1 could not be reached");
    expect(JSON.stringify(failure)).not.toContain("hush");
  });

  it.each<[string, Reply]>([
    ["JSON that is cut", streams('{"id":"x","choices":[{"delta":{"content":"Ha')],
    ["JSON of another kind", streams({ result: "text" })],
  ])("fails for good when the server sends %s", async (_, reply) => {
    const { outcome } = await ask(wire, reply);
    expect(failureOf(outcome)).toMatchObject({ category: "model_answer", retryable: false });
  });

  it.each([
    [{ error: { message: "Overloaded", code: 503 } }, "model_unavailable", true],
    [{ error: { message: "Overloaded", type: "server_error", code: null } }, "model_unavailable", true],
    [{ error: { message: "Context too long", code: 400 } }, "model_refused", false],
  ] as const)("may fail in the middle of the stream: %j", async (error, category, retryable) => {
    const { outcome } = await ask(wire, (response) => {
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

  it("never shows the key, also when the key itself is what is wrong", async () => {
    const apiKey = "sk-crooked\nkey-0123456789";
    await using server = await modelServer();
    const failure = failureOf(await openAiCompatible({ baseUrl: server.baseUrl, model: "m", apiKey })()(request()));
    expect(failure.retryable).toBe(false);
    expect(JSON.stringify(failure)).not.toMatch(/crooked|0123456789/);
    expect(server.received).toHaveLength(0);
  });
});
