import { createServer } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Failure, Message, ModelAnswer, ModelOutcome, ModelRequest } from "../../lambdas/agent/model.ts";
import { openAiCompatible } from "../../lambdas/agent/providers/openai-compatible.ts";
import { toolsByName } from "../../lambdas/agent/tools/index.ts";
import { runTurn } from "../../lambdas/agent/turn.ts";
import { files, turn } from "../unit/agent/scripted.ts";
import {
  chatServer,
  chunk,
  refuses,
  type Reply,
  send,
  startStream,
  streams,
  toolCallChunk,
  usageChunk,
} from "./chat-completions-server.ts";

const apiKey = "sk-test-0123456789abcdef";
const tools = Object.values(toolsByName).map((tool) => tool.definition);
const done = chunk({}, { finish_reason: "stop" });
const called = chunk({}, { finish_reason: "tool_calls" });

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", text: "Hello" }];
  return { instructions: "Be brief.", messages, tools, signal: new AbortController().signal, ...more };
}

/** One call against a server that gives one reply. */
async function ask(reply: Reply, more: Partial<ModelRequest> = {}) {
  await using server = await chatServer(reply);
  const outcome = await openAiCompatible({ baseUrl: server.baseUrl, model: "m", apiKey })(request(more));
  return { outcome, received: server.received };
}

function answerOf(outcome: ModelOutcome): ModelAnswer {
  if ("failure" in outcome) throw new Error(outcome.failure.title);
  return outcome.answer;
}

function failureOf(outcome: ModelOutcome): Failure {
  if ("answer" in outcome) throw new Error("an answer instead of a failure");
  return outcome.failure;
}

describe("an answer", () => {
  it("is asked for as a stream with instructions, input, tools and key, and comes with its usage", async () => {
    const { outcome, received } = await ask(
      streams(chunk({ role: "assistant", content: "Hel" }), chunk({ content: "lo." }), done, usageChunk),
    );
    expect(answerOf(outcome)).toMatchObject({
      text: "Hello.",
      toolCalls: [],
      finishReason: "stop",
      usage: { inputTokens: 21, outputTokens: 7 },
    });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        model: "m",
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello" },
        ],
      },
    });
    expect(received[0]?.body.tools).toEqual(
      tools.map(({ name, description, input }) => ({
        type: "function",
        function: expect.objectContaining({ name, description, parameters: input }),
      })),
    );
  });

  it("needs neither key nor tools", async () => {
    await using server = await chatServer(streams(chunk({ content: "Hi." }), done));
    const outcome = await openAiCompatible({ baseUrl: `${server.baseUrl}/`, model: "m" })(request({ tools: [] }));
    expect(answerOf(outcome)).toMatchObject({ text: "Hi.", usage: { inputTokens: 0, outputTokens: 0 } });
    expect(server.received[0]?.url).toBe("/v1/chat/completions");
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
    expect(server.received[0]?.body).not.toHaveProperty("tools");
  });

  it("may hold parallel tool calls whose arguments come in pieces", async () => {
    const { outcome } = await ask(
      streams(
        toolCallChunk(0, { id: "call_a", name: "read_file", arguments: "" }),
        toolCallChunk(0, { arguments: '{"name":' }),
        toolCallChunk(1, { id: "call_b", name: "list_files", arguments: "" }),
        toolCallChunk(0, { arguments: '"a.txt"}' }),
        called,
        usageChunk,
      ),
    );
    expect(answerOf(outcome)).toMatchObject({
      text: "",
      finishReason: "tool-calls",
      toolCalls: [
        { id: "call_a", name: "read_file", input: { name: "a.txt" } },
        { id: "call_b", name: "list_files", input: {} },
      ],
    });
    expect(answerOf(outcome).toolCalls.some((call) => "invalid" in call)).toBe(false);
  });

  it("says which tool calls can't be run: broken arguments and unknown tools", async () => {
    const { outcome } = await ask(
      streams(
        toolCallChunk(0, { id: "1", name: "read_file", arguments: '{"name": "a' }),
        toolCallChunk(1, { id: "2", name: "delete_all", arguments: "{}" }),
        toolCallChunk(2, { id: "3", name: "list_files", arguments: "{}" }),
        called,
      ),
    );
    expect(answerOf(outcome).toolCalls).toEqual([
      {
        id: "1",
        name: "read_file",
        input: '{"name": "a',
        invalid: expect.stringMatching(/read_file are not valid JSON.*{"name": "a\. Accepted/),
      },
      { id: "2", name: "delete_all", input: {}, invalid: expect.stringMatching(/no tool "delete_all".*read_file/) },
      { id: "3", name: "list_files", input: {} },
    ]);
  });

  it("tells the model when its arguments were cut because the answer was too long", async () => {
    const { outcome } = await ask(
      streams(
        toolCallChunk(0, { id: "1", name: "write_file", arguments: '{"name":"a","content":"xxx' }),
        chunk({}, { finish_reason: "length" }),
      ),
    );
    const answer = answerOf(outcome);
    expect(answer.finishReason).toBe("length");
    expect(answer.toolCalls[0]?.invalid).toContain("cut at its longest");
  });

  it.each([
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["eos", "other"],
  ])("ends with %s as %s", async (wire, finishReason) => {
    const { outcome } = await ask(streams(chunk({ content: "Half" }), chunk({}, { finish_reason: wire })));
    expect(answerOf(outcome)).toMatchObject({ text: "Half", finishReason });
  });

  it("may be empty, which is for the turn to judge", async () => {
    const { outcome } = await ask(streams(chunk({ role: "assistant", content: "" }), done, usageChunk));
    expect(answerOf(outcome)).toMatchObject({ text: "", toolCalls: [], usage: { inputTokens: 21 } });
  });
});

describe("the conversation", () => {
  it("is echoed to the server: reasoning, calls and results, also after it was stored as JSON", async () => {
    await using server = await chatServer(
      streams(
        chunk({ reasoning_content: "I should look." }),
        chunk({ content: "Looking." }),
        toolCallChunk(0, { id: "call_a", name: "list_files", arguments: "{}" }),
        toolCallChunk(1, { id: "call_b", name: "read_file", arguments: "{broken" }),
        called,
      ),
      streams(chunk({ content: "Done." }), done),
    );
    const model = openAiCompatible({ baseUrl: server.baseUrl, model: "m" });
    const first = answerOf(JSON.parse(JSON.stringify(await model(request()))) as ModelOutcome);
    await model(
      request({
        messages: [
          { role: "user", text: "Hello" },
          { role: "assistant", answer: first },
          {
            role: "tool",
            results: [
              { callId: "call_a", name: "list_files", text: "a.txt (3 bytes)" },
              { callId: "call_b", name: "read_file", text: "Not JSON.", error: true },
            ],
          },
        ],
      }),
    );
    const [, , assistant, ...results] = server.received[1]?.body.messages ?? [];
    expect(assistant).toMatchObject({
      role: "assistant",
      content: "Looking.",
      reasoning_content: "I should look.",
      tool_calls: [
        { id: "call_a", type: "function", function: { name: "list_files", arguments: "{}" } },
        { id: "call_b", type: "function", function: { name: "read_file", arguments: "{}" } },
      ],
    });
    expect(results).toEqual([
      { role: "tool", tool_call_id: "call_a", content: "a.txt (3 bytes)" },
      { role: "tool", tool_call_id: "call_b", content: "Not JSON." },
    ]);
  });

  it("holds answers of other models, joins what the user said in a row, and leaves empty answers out", async () => {
    const messages: Message[] = [
      { role: "user", text: "One" },
      { role: "assistant", answer: { text: "Earlier.", toolCalls: [{ id: "x", name: "list_files", input: {} }] } },
      { role: "tool", results: [{ callId: "x", name: "list_files", text: "none" }] },
      { role: "user", text: "Two" },
      { role: "assistant", answer: { text: "", toolCalls: [] } },
      { role: "user", text: "A note", note: true },
    ];
    const { received } = await ask(streams(chunk({ content: "Yes." }), done), { messages, instructions: "" });
    expect(received[0]?.body.messages).toMatchObject([
      { role: "user", content: "One" },
      {
        role: "assistant",
        content: "Earlier.",
        tool_calls: [{ id: "x", function: { name: "list_files", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "x", content: "none" },
      { role: "user", content: "Two\n\nA note" },
    ]);
  });
});

describe("a failure", () => {
  it.each([
    [400, "model_refused", false],
    [401, "model_configuration", false],
    [402, "model_configuration", false],
    [403, "model_configuration", false],
    [404, "model_configuration", false],
    [408, "model_unavailable", true],
    [409, "model_unavailable", true],
    [413, "model_refused", false],
    [422, "model_refused", false],
    [429, "model_unavailable", true],
    [500, "model_unavailable", true],
    [503, "model_unavailable", true],
    [529, "model_unavailable", true],
  ] as const)(
    "%i is %s, with the server's words and a remedy, without a second try",
    async (status, category, retryable) => {
      const { outcome, received } = await ask(refuses(status, `Words for key ${apiKey}`));
      const failure = failureOf(outcome);
      expect(failure).toMatchObject({ category, retryable, title: expect.stringMatching(`${status}: Words for key`) });
      expect(failure.remedy).toMatch(/^[A-Z].{10,}\.$/);
      expect(JSON.stringify(outcome)).not.toContain(apiKey);
      expect(received).toHaveLength(1);
    },
  );

  it.each<[Record<string, string>, number, number]>([
    [{ "retry-after": "7" }, 7000, 7000],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250, 250],
    [{ "retry-after": new Date(Date.now() + 30_000).toUTCString() }, 27_000, 30_000],
    [{ "retry-after": new Date(0).toUTCString() }, 0, 0],
  ])("passes on how long to wait: %j", async (headers, least, most) => {
    const { outcome } = await ask(refuses(429, "Slow down", headers));
    const { retryAfter } = outcome as { retryAfter?: number };
    expect(retryAfter).toBeGreaterThanOrEqual(least);
    expect(retryAfter).toBeLessThanOrEqual(most);
  });

  it("has no time to wait when the server gave none, or nonsense", async () => {
    const unusable: Record<string, string>[] = [{}, { "retry-after": "soon" }];
    for (const headers of unusable) {
      const { outcome } = await ask(refuses(503, "Busy", headers));
      expect(outcome).not.toHaveProperty("retryAfter");
    }
  });

  it.each<[string, Reply]>([
    ["dropped before the answer", (response) => void response.destroy()],
    [
      "dropped in the middle of the answer",
      async (response) => {
        startStream(response);
        send(response, chunk({ content: "Half" }));
        await sleep(20);
        response.destroy();
      },
    ],
    [
      "ended in the middle of the answer",
      (response) => {
        startStream(response);
        send(response, chunk({ content: "Half" }));
        response.end();
      },
    ],
  ])("is retryable when the connection is %s", async (_, reply) => {
    const { outcome } = await ask(reply);
    expect(failureOf(outcome)).toMatchObject({ category: "model_unavailable", retryable: true });
  });

  it("is retryable when nobody listens, and shows neither user nor password of the address", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const model = openAiCompatible({ baseUrl: `http://127.0.0.1:${port}/v1?token=hush`, model: "m", apiKey });
    const failure = failureOf(await model(request()));
    expect(failure).toMatchObject({ category: "model_unavailable", retryable: true });
    expect(failure.title).toContain(`http://127.0.0.1:${port}/v1 could not be reached`);
    expect(JSON.stringify(failure)).not.toContain("hush");
  });

  it.each<[string, Reply]>([
    ["JSON that is cut", streams('{"id":"x","choices":[{"delta":{"content":"Ha')],
    ["JSON of another kind", streams({ result: "text" })],
    [
      "no JSON at all",
      (response) => {
        response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>");
      },
    ],
  ])("is the answer's when the server sends %s", async (_, reply) => {
    const { outcome } = await ask(reply);
    expect(failureOf(outcome)).toMatchObject({ category: "model_answer", retryable: false });
  });

  it.each([
    [{ error: { message: "Overloaded", code: 503 } }, "model_unavailable", true],
    [{ error: { message: "Overloaded", type: "server_error", code: null } }, "model_unavailable", true],
    [{ error: { message: "Context too long", code: 400 } }, "model_refused", false],
  ] as const)("may come in the middle of the stream: %j", async (error, category, retryable) => {
    const { outcome } = await ask(streams(chunk({ content: "Half" }), error));
    expect(failureOf(outcome)).toMatchObject({
      category,
      retryable,
      title: expect.stringContaining(error.error.message),
    });
  });

  it("never shows the key, also when the key itself is what is wrong", async () => {
    const crooked = "sk-crooked\nkey-0123456789";
    await using server = await chatServer();
    const failure = failureOf(
      await openAiCompatible({ baseUrl: server.baseUrl, model: "m", apiKey: crooked })(request()),
    );
    expect(failure.retryable).toBe(false);
    expect(JSON.stringify(failure)).not.toMatch(/crooked|0123456789/);
    expect(server.received).toHaveLength(0);
  });
});

describe("an abort", () => {
  it.each<[string, Reply]>([
    ["before the first byte", () => {}],
    [
      "in the middle of the answer",
      (response) => {
        startStream(response);
        send(response, chunk({ content: "Half" }));
      },
    ],
  ])("%s closes the connection and rejects with its reason", async (_, reply) => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    await using server = await chatServer((response, received) => {
      response.on("close", () => closed.resolve());
      arrived.resolve();
      return reply(response, received);
    });
    const stop = new AbortController();
    const outcome = openAiCompatible({ baseUrl: server.baseUrl, model: "m" })(request({ signal: stop.signal }));
    await arrived.promise;
    await sleep(30);
    const begun = performance.now();
    const reason = new Error("stopped by an operator");
    stop.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    await closed.promise;
    expect(performance.now() - begun).toBeLessThan(1000);
  });

  it("that came before makes no connection", async () => {
    await using server = await chatServer();
    const model = openAiCompatible({ baseUrl: server.baseUrl, model: "m" });
    await expect(model(request({ signal: AbortSignal.abort(new Error("too late")) }))).rejects.toThrow("too late");
    expect(server.received).toHaveLength(0);
  });
});

it("drives a whole turn: parallel calls with one that is broken, results in order, then the answer", async () => {
  await using server = await chatServer(
    streams(
      toolCallChunk(0, { id: "a", name: "read_file", arguments: '{"name":"a.txt"}' }),
      toolCallChunk(1, { id: "b", name: "read_file", arguments: "{" }),
      called,
      usageChunk,
    ),
    streams(chunk({ content: "It says alpha." }), done, usageChunk),
  );
  const { input, ports, records } = turn(openAiCompatible({ baseUrl: server.baseUrl, model: "m" }), {
    ports: { files: files({ "a.txt": "alpha" }) },
  });
  expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "It says alpha.", ended: "normally" });
  expect(records).toHaveLength(2);
  expect(server.received[1]?.body.messages.slice(-2)).toMatchObject([
    { role: "tool", tool_call_id: "a", content: "a.txt: lines 1 to 1 of 1\nalpha" },
    { role: "tool", tool_call_id: "b", content: expect.stringContaining("not valid JSON") },
  ]);
});
