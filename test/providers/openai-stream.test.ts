import { describe, expect, it } from "vitest";
import type { Message, ModelAnswer, ModelOutcome } from "../../src/agent/model.ts";
import { reasoningText } from "../../src/agent/reasoning.ts";
import { answerOf, callModel, failureOf, request } from "./call-model.ts";
import { chunk, startStream, streams } from "./chat-completions-server.ts";
import { openAiFixture as provider } from "./openai-fixture.ts";
import { modelServer, type Reply } from "./model-server.ts";

const all = chunk({ role: "assistant", content: "All." });
const half = chunk({ content: "Half" });
const done = chunk({}, { finish_reason: "stop" });
const usage = { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 };
const counted = { inputTokens: 21, outputTokens: 7 };

/** A stream with exactly these bytes. */
function bytes(text: string): Reply {
  return (response) => {
    startStream(response);
    response.end(text);
  };
}

const event = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
const calls = (...tool_calls: object[]): object => chunk({ tool_calls });
const called = (name: string, args: unknown): object => ({ name, arguments: args });

function detail(type: string, index: number, more: object): object {
  return chunk({ reasoning_details: [{ type, index, format: "google-gemini-v1", ...more }] });
}

async function answer(reply: Reply): Promise<ModelAnswer> {
  return answerOf((await callModel(provider, reply)).outcome);
}

describe("a response of a chat completions server", () => {
  it.each<[string, Reply]>([
    ["usage with choices null", streams(all, done, { choices: null, usage })],
    ["usage without choices", streams(all, done, { usage })],
    ["usage in the choice (Moonshot)", streams(all, { choices: [{ delta: {}, finish_reason: "stop", usage }] })],
    ["usage in x_groq (Groq)", streams(all, { ...done, x_groq: { usage } })],
    ["token counts as strings", streams(all, { ...done, usage: { prompt_tokens: "21", completion_tokens: "7" } })],
    ["error null or empty", streams({ ...all, error: null }, { ...done, usage, error: {} })],
    ["empty events as keep-alive", streams(all, "", "null", { ...done, usage })],
    ["blanks after [DONE]", bytes(`${event(all)}${event({ ...done, usage })}data: [DONE] \n\n`)],
    ["another role", streams(chunk({ role: "model", content: "All." }), { ...done, usage })],
    ["a message instead of a delta", streams({ choices: [{ message: { content: "All." } }] }, { ...done, usage })],
    ["no empty lines between events", bytes(`${event(all)}${event({ ...done, usage })}`.replaceAll("\n\n", "\n"))],
    ["no final line break", bytes(`${event(all)}${event({ ...done, usage })}`.trimEnd())],
    [
      "events over several lines",
      bytes(`${event(all)}data: {\ndata: ${JSON.stringify({ ...done, usage }).slice(1)}\n\n`),
    ],
    ["CRLF line breaks", bytes(`${event(all)}${event({ ...done, usage })}`.replaceAll("\n", "\r\n"))],
    [
      "an empty finish reason before its end",
      streams(chunk({ content: "All." }, { finish_reason: "" }), { ...done, usage }),
    ],
    [
      "id, created and model of other types",
      streams({ ...all, id: 7, created: "now", model: null }, { ...done, usage }),
    ],
    ["reasoning that is not text", streams(chunk({ reasoning: { steps: 1 } }), all, { ...done, usage })],
  ])("can have %s", async (_, reply) => {
    expect(await answer(reply)).toMatchObject({ text: "All.", finishReason: "stop", usage: counted });
  });

  it("counts reasoning tokens that are only in the total (xAI, Gemini)", async () => {
    const details = { completion_tokens_details: { reasoning_tokens: 94 } };
    const xai = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, ...details };
    expect((await answer(streams(all, { ...done, usage: xai }))).usage).toEqual({
      inputTokens: 32,
      outputTokens: 103,
      reasoningTokens: 94,
    });
    // Cached tokens in addition to the prompt are not counted as output.
    const beside = {
      prompt_tokens: 10,
      completion_tokens: 9,
      total_tokens: 1_019,
      prompt_tokens_details: { cached_tokens: 1_000 },
    };
    expect((await answer(streams(all, { ...done, usage: beside }))).usage.outputTokens).toBe(9);
  });

  it("keeps the digits of arguments that are an object", async () => {
    const input = '{"name":"a.txt","offset":2512292042121000001,"price":10.10}';
    const text = JSON.stringify(calls({ index: 0, id: "a", function: called("read_file", "INPUT") }));
    const { toolCalls } = await answer(streams(text.replace('"INPUT"', input), { ...done, usage }));
    expect(toolCalls[0]?.json).toBe(input);
  });

  const one = [{ name: "read_file", input: { name: "a.txt" } }];
  const json = '{"name":"a.txt"}';
  it.each<[string, object[], object[]]>([
    ["arguments as an object", [calls({ index: 0, id: "a", function: called("read_file", { name: "a.txt" }) })], one],
    [
      "a JSON string that contains JSON",
      [calls({ index: 0, id: "a", function: called("read_file", JSON.stringify(json)) })],
      one,
    ],
    [
      "null for no arguments",
      [calls({ index: 0, id: "a", function: called("list_files", "null") })],
      [{ name: "list_files", input: {} }],
    ],
    [
      "an index as string and an id as number",
      [calls({ index: "0", id: 7, function: called("read_file", json) })],
      one,
    ],
    [
      "a name in a later part, then null",
      [
        calls({ index: 0, id: "a", type: "function" }),
        calls({ index: 0, function: called("read_file", json) }),
        calls({ index: 0, function: null }),
      ],
      one,
    ],
    [
      "name and id in every part",
      [
        calls({ index: 0, id: "a", function: called("read_file", "") }),
        calls({ index: 0, id: "a", function: called("read_file", '{"name":') }),
        calls({ index: 0, id: "", function: called("", '"a.txt"}') }),
      ],
      one,
    ],
    [
      "no index",
      [calls({ id: "a", function: called("read_file", json) }, { id: "b", function: called("read_file", json) })],
      [...one, ...one],
    ],
    [
      "the same index and no id",
      [
        calls({ index: 0, function: called("read_file", json) }),
        calls({ index: 0, function: called("read_file", json) }),
      ],
      [...one, ...one],
    ],
  ])("can have tool calls with %s", async (_, deltas, expected) => {
    const { toolCalls } = await answer(streams(...deltas, done));
    expect(toolCalls).toHaveLength(expected.length);
    for (const [index, call] of toolCalls.entries())
      expect(call).toEqual({ id: expect.any(String), ...expected[index] });
  });

  it.each([
    ["model_length", "length"],
    ["MAX_TOKENS", "length"],
    ["content_filter: RECITATION", "content-filter"],
    ["sensitive", "content-filter"],
    ["eos", "other"],
  ])("with the stop reason %s has the finish reason %s", async (reason, finishReason) => {
    expect(await answer(streams(half, chunk({}, { finish_reason: reason })))).toMatchObject({
      text: "Half",
      finishReason,
    });
  });

  it("excludes reasoning in <think> tags, which is still sent back", async () => {
    const pieces = ["<thi", "nk>\nHm, all?\n</think>", "\n\nAll."].map((content) => chunk({ content }));
    const thought = await answer(streams(...pieces, done));
    expect(thought.text).toBe("All.");
    expect(JSON.stringify(thought.echo)).toContain("<think>\\nHm, all?\\n</think>\\n\\nAll.");
    const unclosed = chunk({ content: "<think>Hm, all" });
    expect((await answer(streams(unclosed, chunk({}, { finish_reason: "length" })))).text).toBe("");
    expect((await answer(streams(unclosed, done))).text).toBe("<think>Hm, all");
    expect((await answer(streams(chunk({ content: "Use </think> and <think>." }), done))).text).toContain("</think>");
  });

  it("excludes reasoning before a </think> whose <think> the chat template has written", async () => {
    const pieces = ["Let me think. It is 42.</thi", "nk>\n\nAnswer", " </think> 42"].map((content) =>
      chunk({ content }),
    );
    const thought = await answer(streams(...pieces, done));
    expect(thought.text).toBe("Answer </think> 42");
    expect(reasoningText(thought)).toBe("Let me think. It is 42.");
    const calling = await answer(
      streams(chunk({ content: "I look.</think>" }), calls({ id: "a", function: { name: "list_files" } }), done),
    );
    expect([calling.text, reasoningText(calling), calling.toolCalls.length]).toEqual(["", "I look.", 1]);
    const named = "The tag `</think>` ends it.";
    expect((await answer(streams(chunk({ content: named }), done))).text).toBe(named);
  });

  it("is sent back with merged reasoning_details (OpenRouter)", async () => {
    const thinks = [
      detail("reasoning.text", 0, { text: "Let me", signature: null }),
      detail("reasoning.text", 0, { text: " see.", signature: "S1" }),
      detail("reasoning.encrypted", 0, { id: "call-1", data: "AAAA" }),
    ];
    const looks = streams(...thinks, calls({ index: 0, id: "call-1", function: called("list_files", "{}") }), done);
    await using server = await modelServer(looks, streams(all, done));
    const model = provider.open(server.baseUrl);
    const first = answerOf(JSON.parse(JSON.stringify(await model(request()))) as ModelOutcome);
    const results = [{ callId: "call-1", name: "list_files", text: "None." }];
    const messages: Message[] = [
      { role: "user", text: "Hello" },
      { role: "assistant", answer: first },
      { role: "tool", results },
    ];
    expect(answerOf(await model(request({ messages }))).text).toBe("All.");
    expect(server.received[1]?.body.messages[2]).toMatchObject({
      tool_calls: [{ id: "call-1" }],
      reasoning_details: [
        { type: "reasoning.text", index: 0, text: "Let me see.", signature: "S1" },
        { type: "reasoning.encrypted", index: 0, id: "call-1", data: "AAAA" },
      ],
    });
  });

  it("is empty when the server could not parse a tool call", async () => {
    const empty = { text: "", toolCalls: [], finishReason: "other" };
    const reason = "function_call_filter: MALFORMED_FUNCTION_CALL";
    expect(await answer(streams(half, { ...chunk({}, { finish_reason: reason }), usage }))).toMatchObject({
      ...empty,
      usage: counted,
    });
    const error = { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: "<function=x" };
    expect(await answer(streams(half, { error }))).toMatchObject(empty);
    expect(await answer((response) => void response.writeHead(400).end(JSON.stringify({ error })))).toMatchObject(
      empty,
    );
  });
});

describe("an interrupted response", () => {
  it.each<[string, Reply, string]>([
    ["by its finish reason", streams(half, chunk({}, { finish_reason: "error" })), "'error'"],
    [
      "by a lack of resources",
      streams(half, chunk({}, { finish_reason: "insufficient_system_resource" })),
      "system_resource",
    ],
    ["by an error as string", streams(half, { error: "Model crashed" }), "Model crashed"],
    ["by an error beside the choices", streams({ ...half, error: { code: 502, message: "Gone" } }), "Gone"],
    ["by an error in the choice", streams({ choices: [{ error: { code: 502, message: "Gone" } }] }), "Gone"],
    ["by an error without message", streams(half, { error: { type: "overloaded" } }), "overloaded"],
    ["by JSON outside of an event", bytes(`${event(half)}{"error":{"message":"Runner stopped"}}\n`), "Runner stopped"],
    [
      "by JSON over several lines",
      bytes('{\n  "error": {\n    "message": "Runner stopped"\n  }\n}\n'),
      "Runner stopped",
    ],
    ["within a line", bytes(`${event(half)}data: {"choices":[{"de`), "ended"],
    ["after an empty finish reason", bytes(event(chunk({ content: "Half" }, { finish_reason: "" }))), "ended"],
  ])("%s is retryable", async (_, reply, words) => {
    const failure = failureOf((await callModel(provider, reply)).outcome);
    expect(failure).toMatchObject({ category: "model_unavailable", retryable: true });
    expect(failure.title).toContain(words);
  });

  it.each<[object, boolean]>([
    [{ object: "error", message: "context length is 4096 tokens", type: "BadRequestError", code: 400 }, true],
    [{ error: { message: "No such tool", type: "invalid_request_error" } }, false],
  ])("by the rejection %j is not retryable", async (error, tooLong) => {
    const { outcome } = await callModel(provider, streams(half, error));
    expect(failureOf(outcome)).toMatchObject({ category: "model_refused", retryable: false });
    expect("contextOverflow" in outcome).toBe(tooLong);
  });
});
