import { setTimeout as sleep } from "node:timers/promises";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ModelFailure } from "../../src/agent/model.ts";
import { anthropicFixture } from "./anthropic-fixture.ts";
import { answerOf, callModel, failureOf } from "./call-model.ts";
import { chunk, startStream, streams, toolCallChunk } from "./chat-completions-server.ts";
import type { Reply } from "./model-server.ts";
import { openAiFixture } from "./openai-fixture.ts";
import { itemEvents, messageItem, reasoningItem, responseOf, usageOf } from "./responses-server.ts";
import { responsesFixture } from "./responses-fixture.ts";

const all = chunk({ role: "assistant", content: "All." });
const done = chunk({}, { finish_reason: "stop" });
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const counted = { inputTokens: 100, outputTokens: 20 };
const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const gone = { error: { message: "Gone", code: 502 } };
const lists = toolCallChunk(0, { id: "a", name: "list_files", arguments: "{}" }) as {
  choices: { delta: { tool_calls: object[] } }[];
};
const event = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;

/** Sends these bytes, and then leaves the connection open, ends the response or breaks it. */
function sends(text: string, then: "silence" | "end" | "break" = "end"): Reply {
  return async (response) => {
    startStream(response);
    response.write(text);
    if (then === "end") response.end();
    if (then !== "break") return;
    await sleep(20);
    response.destroy();
  };
}

const typed = (...events: { type: string }[]): string =>
  events.map((each) => `event: ${each.type}\n${event(each)}`).join("");

function encoded(encoding: string, bytes: Buffer, status = 200): Reply {
  const headers = { "content-type": "text/event-stream", "content-encoding": encoding };
  return (response) => void response.writeHead(status, headers).end(bytes);
}

/** An answer of Anthropic's, compressed. */
const compressed: Reply = (response) => {
  const write = response.write.bind(response);
  const gzip = zlib.createGzip();
  gzip.on("data", (bytes: Buffer) => void write(bytes)).on("end", () => response.end());
  response.setHeader("content-encoding", "gzip");
  response.write = ((part: string) => gzip.write(part)) as never;
  anthropicFixture.send(response, { text: ["All."] });
  gzip.end();
};

describe("a chat completion", () => {
  it.each<[string, Reply, object]>([
    ["[DONE] without a finish reason", streams(all), { text: "All.", finishReason: "stop" }],
    ["[DONE] after usage", streams(all, { choices: [], usage }), { text: "All.", usage: counted }],
    ["[DONE] after a call", streams(lists), { toolCalls: [{ id: "a", name: "list_files", input: {} }] }],
    ["a finish reason and silence", sends(event(all) + event(done), "silence"), { text: "All." }],
    ["a finish reason and a broken connection", sends(event(all) + event(done), "break"), { text: "All." }],
    ["a finish reason, usage and an error", streams(all, done, { choices: [], usage }, gone), { usage: counted }],
    ["usage, and then counts of 0", streams({ ...all, usage }, { ...done, usage: zero }), { usage: counted }],
    ["its whole JSON", sends(JSON.stringify({ choices: [{ message: { content: "All." } }] })), { text: "All." }],
  ])("ends with %s", async (_, reply, answer) => {
    const { outcome, received } = await callModel(openAiFixture, reply, {}, { idleTimeout: 200 });
    expect(answerOf(outcome)).toMatchObject(answer);
    expect(received).toHaveLength(1);
  });

  it.each<[string, Reply, object]>([
    ["[DONE] alone", streams(), {}],
    ["an empty body", sends(""), {}],
    [
      "a role, usage and [DONE]",
      streams(chunk({ role: "assistant", content: "" }), { choices: [], usage }),
      { usage: counted },
    ],
  ])("that is empty was answered, but is asked for again: %s", async (_, reply, more) => {
    const { outcome } = await callModel(openAiFixture, reply);
    expect(outcome).toEqual({ failure: failureOf(outcome), begun: true, ...more });
    expect(failureOf(outcome)).toMatchObject({
      category: "model_unavailable",
      retryable: true,
      title: expect.stringContaining("answered with nothing: the stream ended before the response"),
    });
  });

  it.each<[string, Reply]>([
    ["breaks off", sends(event({ ...all, usage }), "break")],
    ["ends without an end", sends(event({ ...all, usage }))],
    ["ends with JSON of another kind", sends(`${event({ ...all, usage })}{"hello":1}\n`)],
    ["has an error", streams({ ...all, usage }, gone)],
    ["has an error with usage", streams(all, { ...gone, usage })],
    ["is an error with usage", sends(JSON.stringify({ ...gone, usage }))],
  ])("that %s has the usage that the server reported", async (_, reply) => {
    const { outcome } = await callModel(openAiFixture, reply);
    expect(outcome).toMatchObject({ failure: { retryable: true }, begun: true, usage: counted });
  });

  it.each<[string, string]>([
    ["JSON that is none", 'data: {"bad\n\n'],
    ["a number as text", event(chunk({ content: 42 }))],
  ])("with %s fails at once, with the usage that arrived with it", async (_, part) => {
    const text = `${event(all)}${part}${event({ ...chunk({ content: "No." }), usage })}data: [DONE]\n\n`;
    const { outcome, received } = await callModel(openAiFixture, sends(text, "silence"));
    expect(outcome).toMatchObject({ failure: { category: "model_answer", retryable: false }, usage: counted });
    expect(received).toHaveLength(1);
  });

  it("whose error came before the answer was not answered", async () => {
    const { outcome } = await callModel(openAiFixture, streams({ error: { message: "Overloaded", code: 503 } }));
    expect(outcome).toEqual({ failure: failureOf(outcome) });
  });

  it.each<[string, string]>([
    ["empty objects", event({})],
    ["pings", event({ type: "ping" })],
    ["chunks without choices", event({ id: "x", object: "chat.completion.chunk" })],
    ["events named ping", "event: ping\ndata: {}\n\nevent: ping\ndata:\n\n"],
    ["comments as data", "data: : OPENROUTER PROCESSING\n\n"],
    ["another choice", event({ choices: [{ index: 1, delta: { content: "MORE" }, finish_reason: "length" }] })],
    ["choices null", event({ choices: null })],
  ])("is read without %s", async (_, skipped) => {
    const bytes = `${skipped}${event(all)}${skipped}${event(done)}${skipped}data: [DONE]\n\n`;
    const { outcome } = await callModel(openAiFixture, sends(bytes));
    expect(answerOf(outcome)).toMatchObject({ text: "All.", finishReason: "stop" });
  });

  it("ends at [DONE], whatever follows in the same packet", async () => {
    const late = event({ ...chunk({ content: "EXTRA" }), usage });
    const bytes = `${event(all)}${event(done)}data: [DONE]\n\n${late}data: {bad\n\n`;
    expect(answerOf((await callModel(openAiFixture, sends(bytes))).outcome)).toMatchObject({
      text: "All.",
      usage: counted,
    });
  });

  it("can end with its whole message, which is not read twice", async () => {
    const message = { role: "assistant", content: "All." };
    const last = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    expect(answerOf((await callModel(openAiFixture, streams(all, last))).outcome).text).toBe("All.");
    const withCall = { choices: [{ message: { ...message, tool_calls: lists.choices[0]?.delta.tool_calls } }] };
    const both = answerOf((await callModel(openAiFixture, streams(all, withCall, last))).outcome);
    expect([both.text, both.toolCalls.length]).toEqual(["All.", 1]);
    expect(answerOf((await callModel(openAiFixture, streams(lists, lists))).outcome).toolCalls).toHaveLength(1);
  });

  const input = { name: "a.txt" };
  const json = JSON.stringify(input);
  it.each<[string, Reply]>([
    [
      "the field function_call",
      streams(
        chunk({ function_call: { name: "read_file", arguments: "" } }),
        chunk({ function_call: { arguments: json.slice(0, 5) } }),
        chunk({ function_call: { arguments: json.slice(5) } }),
        chunk({}, { finish_reason: "function_call" }),
      ),
    ],
    [
      "a name in two parts",
      streams(
        toolCallChunk(0, { id: "a", name: "read_" }),
        chunk({ tool_calls: [{ index: 0, function: { name: "file", arguments: json } }] }),
      ),
    ],
    [
      "another id in each part",
      streams(
        toolCallChunk(0, { id: "a1", name: "read_file", arguments: json.slice(0, 5) }),
        toolCallChunk(0, { id: "a2", arguments: json.slice(5) }),
      ),
    ],
    [
      "parts without an index and an id",
      streams(
        chunk({ tool_calls: [{ id: "a", function: { name: "read_file", arguments: "" } }] }),
        chunk({ tool_calls: [{ function: { arguments: json.slice(0, 5) } }] }),
        chunk({ tool_calls: [{ function: { arguments: json.slice(5) } }] }),
      ),
    ],
  ])("can have a call with %s", async (_, reply) => {
    const { toolCalls } = answerOf((await callModel(openAiFixture, reply)).outcome);
    expect(toolCalls).toEqual([{ id: expect.any(String), name: "read_file", input }]);
  });

  it("has calls of two tools that share an index and have no ids", async () => {
    const calls = ["list_files", "read_file"].map((name) => toolCallChunk(0, { name, arguments: "{}" }));
    const { toolCalls } = answerOf((await callModel(openAiFixture, streams(...calls))).outcome);
    expect(toolCalls.map(({ name }) => name)).toEqual(["list_files", "read_file"]);
  });
});

describe("a response with a content encoding that was not asked for", () => {
  const body = `${event(all)}${event(done)}data: [DONE]\n\n`;
  it.each<[string, Buffer]>([
    ["gzip", zlib.gzipSync(body)],
    ["br", zlib.brotliCompressSync(body)],
    ["deflate", zlib.deflateSync(body)],
    ["identity", Buffer.from(body)],
  ])("is decoded: %s", async (encoding, bytes) => {
    expect(answerOf((await callModel(openAiFixture, encoded(encoding, bytes))).outcome).text).toBe("All.");
  });

  it("is decoded while it arrives", async () => {
    const texts: string[] = [];
    const reply: Reply = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      const gzip = zlib.createGzip();
      gzip.pipe(response);
      gzip.write(event(all));
      gzip.flush(zlib.constants.Z_SYNC_FLUSH);
      await expect.poll(() => texts).toEqual(["All."]);
      gzip.end(event(chunk({ content: " Done." }, { finish_reason: "stop" })));
    };
    const { outcome } = await callModel(openAiFixture, reply, { onText: (text) => void texts.push(text) });
    expect(answerOf(outcome).text).toBe("All. Done.");
  });

  it("is decoded for the provider libraries, too", async () => {
    expect(answerOf((await callModel(anthropicFixture, compressed)).outcome).text).toBe("All.");
  });

  it("is an error that is quoted", async () => {
    const error = zlib.gzipSync('{"error":{"message":"No such model","code":"model_not_found"}}');
    const { outcome } = await callModel(openAiFixture, encoded("gzip", error, 404));
    expect(failureOf(outcome).title).toContain("404: No such model");
  });

  it.each<[string, Buffer, string]>([
    ["zstd", Buffer.from(body), "content encoding 'zstd'; accepted: none, gzip, deflate and br"],
    ["gzip", Buffer.from(body), "not encoded as gzip, as its header says"],
    ["br", Buffer.from(body), "not encoded as br, as its header says"],
  ])("fails once if it cannot be decoded: %s", async (encoding, bytes, words) => {
    const { outcome } = await callModel(openAiFixture, encoded(encoding, bytes));
    const failure = failureOf(outcome);
    expect(failure).toMatchObject({ category: "model_answer", retryable: false });
    expect(failure.title).toContain(words);
    expect(failure.remedy).toContain("compression");
  });

  it("is asked for again if it was cut off", async () => {
    const cut = zlib.gzipSync(event(all)).subarray(0, 40);
    const { outcome } = await callModel(openAiFixture, encoded("gzip", cut));
    expect(failureOf(outcome)).toMatchObject({ category: "model_unavailable", retryable: true });
  });
});

describe("a message of a Messages API server", () => {
  const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 100, output_tokens: 1 } } };
  const text = [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "All." } },
    { type: "content_block_stop", index: 0 },
  ];
  const delta = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 20 } };
  const noReason = { ...delta, delta: { stop_reason: null } };
  const stop = { type: "message_stop" };

  it.each<[string, Reply]>([
    ["a stop reason", sends(typed(start, ...text, delta))],
    ["a stop reason and silence", sends(typed(start, ...text, delta), "silence")],
    ["a stop reason and a broken connection", sends(typed(start, ...text, delta), "break")],
    ["message_stop without a reason", sends(typed(start, ...text, noReason, stop))],
    ["message_stop, whatever follows in its packet", sends(typed(start, ...text, delta, stop, ...text, delta))],
  ])("ends with %s", async (_, reply) => {
    const { outcome, received } = await callModel(anthropicFixture, reply, {}, { idleTimeout: 200 });
    expect(answerOf(outcome)).toMatchObject({ text: "All.", finishReason: "stop", usage: counted });
    expect(received).toHaveLength(1);
  });

  it("that breaks off has the usage that the server reported", async () => {
    const { outcome } = await callModel(anthropicFixture, sends(typed(start, ...text.slice(0, 2)), "break"));
    expect(outcome).toMatchObject({ begun: true, characters: 4, usage: { inputTokens: 100, outputTokens: 1 } });
    expect(failureOf(outcome)).toMatchObject({ category: "model_unavailable", retryable: true });
  });
});

describe("a response of the Responses API", () => {
  const created = { type: "response.created", response: responseOf([], { status: "in_progress", usage: null }) };
  const [added, ...others] = itemEvents(0, messageItem("msg_1", "All."), ["All."]);
  const message = [added, ...others].filter((each) => each !== undefined);

  it("ends when its stream ends and all items are complete", async () => {
    const { outcome } = await callModel(responsesFixture, sends(typed(created, ...message)));
    expect(answerOf(outcome)).toMatchObject({ text: "All.", finishReason: "stop" });
  });

  it.each<[string, Reply]>([
    ["an item is open", sends(typed(created, ...message.slice(0, -1)))],
    ["it has reasoning only", sends(typed(created, ...itemEvents(0, reasoningItem("rs_1", "x", "Hm."))))],
    ["the connection breaks", sends(typed(created, ...message), "break")],
  ])("has not ended when %s", async (_, reply) => {
    const { outcome } = await callModel(responsesFixture, reply);
    expect(failureOf(outcome)).toMatchObject({ category: "model_unavailable", retryable: true });
    expect(outcome).toHaveProperty("begun", true);
  });

  it("ends with response.completed, whatever follows in the same packet", async () => {
    const response = responseOf([messageItem("msg_1", "All.")], { usage: usageOf({ input: 100, output: 20 }) });
    const completed = { type: "response.completed", response };
    const late = itemEvents(1, messageItem("msg_2", "EXTRA"), ["EXTRA"]);
    const reply = sends(typed(created, ...message, completed, ...late, { type: "error" }));
    const { outcome } = await callModel(responsesFixture, reply);
    expect(answerOf(outcome)).toMatchObject({ text: "All.", usage: counted });
  });

  it("that failed has the usage that the server reported", async () => {
    const error = { code: "server_error", message: "boom" };
    const failed = responseOf([], { status: "failed", error, usage: usageOf({ input: 100, output: 20 }) });
    const reply = sends(typed(created, { type: "response.failed", response: failed } as { type: string }));
    expect((await callModel(responsesFixture, reply)).outcome as ModelFailure).toMatchObject({
      begun: true,
      usage: counted,
    });
  });
});
