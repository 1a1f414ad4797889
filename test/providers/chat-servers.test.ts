import { describe, expect, it } from "vitest";
import type { Message, ModelAnswer, ModelOutcome } from "../../src/agent/model.ts";
import { answerOf, ask, failureOf, request } from "./ask.ts";
import { chunk, startStream, streams } from "./chat-completions-server.ts";
import { chatCompletions as wire } from "./chat-completions.ts";
import { modelServer, type Reply } from "./model-server.ts";

const all = chunk({ role: "assistant", content: "All." });
const half = chunk({ content: "Half" });
const done = chunk({}, { finish_reason: "stop" });
const usage = { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 };
const counted = { inputTokens: 21, outputTokens: 7 };

/** A stream as it is on the wire. */
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
  return answerOf((await ask(wire, reply)).outcome);
}

describe("an answer as chat completions servers send it", () => {
  it.each<[string, Reply]>([
    ["null for choices, with the usage", streams(all, done, { choices: null, usage })],
    ["no choices with the usage", streams(all, done, { usage })],
    ["usage in the choice, as Moonshot's", streams(all, { choices: [{ delta: {}, finish_reason: "stop", usage }] })],
    ["usage of Groq's own", streams(all, { ...done, x_groq: { usage } })],
    ["counts as texts", streams(all, { ...done, usage: { prompt_tokens: "21", completion_tokens: "7" } })],
    ["null for errors", streams({ ...all, error: null }, { ...done, usage, error: {} })],
    ["empty events, to keep the connection", streams(all, "", "null", { ...done, usage })],
    ["an end with blanks", bytes(`${event(all)}${event({ ...done, usage })}data: [DONE] \n\n`)],
    ["a role of its own", streams(chunk({ role: "model", content: "All." }), { ...done, usage })],
    [
      "a message in the place of what is new",
      streams({ choices: [{ message: { content: "All." } }] }, { ...done, usage }),
    ],
    ["no empty lines between events", bytes(`${event(all)}${event({ ...done, usage })}`.replaceAll("\n\n", "\n"))],
    ["no line break at its end", bytes(`${event(all)}${event({ ...done, usage })}`.trimEnd())],
    [
      "events over several lines",
      bytes(`${event(all)}data: {\ndata: ${JSON.stringify({ ...done, usage }).slice(1)}\n\n`),
    ],
    ["line breaks of two characters", bytes(`${event(all)}${event({ ...done, usage })}`.replaceAll("\n", "\r\n"))],
    [
      "an empty reason to end before it does",
      streams(chunk({ content: "All." }, { finish_reason: "" }), { ...done, usage }),
    ],
    ["other things than names and times", streams({ ...all, id: 7, created: "now", model: null }, { ...done, usage })],
    ["reasoning that is no text", streams(chunk({ reasoning: { steps: 1 } }), all, { ...done, usage })],
  ])("may have %s", async (_, reply) => {
    expect(await answer(reply)).toMatchObject({ text: "All.", finishReason: "stop", usage: counted });
  });

  it("counts reasoning that is in the total only, as xAI and Gemini have it", async () => {
    const details = { completion_tokens_details: { reasoning_tokens: 94 } };
    const xai = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, ...details };
    expect((await answer(streams(all, { ...done, usage: xai }))).usage).toEqual({
      inputTokens: 32,
      outputTokens: 103,
      reasoningTokens: 94,
    });
    // Beside the prompt: what came from the cache is not taken for output.
    const beside = {
      prompt_tokens: 10,
      completion_tokens: 9,
      total_tokens: 1_019,
      prompt_tokens_details: { cached_tokens: 1_000 },
    };
    expect((await answer(streams(all, { ...done, usage: beside }))).usage.outputTokens).toBe(9);
  });

  const one = [{ name: "read_file", input: { name: "a.txt" } }];
  const json = '{"name":"a.txt"}';
  it.each<[string, object[], object[]]>([
    ["arguments as an object", [calls({ index: 0, id: "a", function: called("read_file", { name: "a.txt" }) })], one],
    ["JSON within JSON", [calls({ index: 0, id: "a", function: called("read_file", JSON.stringify(json)) })], one],
    [
      "null for no arguments",
      [calls({ index: 0, id: "a", function: called("list_files", "null") })],
      [{ name: "list_files", input: {} }],
    ],
    ["numbers and texts changed about", [calls({ index: "0", id: 7, function: called("read_file", json) })], one],
    [
      "a name that comes later, and null after it",
      [
        calls({ index: 0, id: "a", type: "function" }),
        calls({ index: 0, function: called("read_file", json) }),
        calls({ index: 0, function: null }),
      ],
      one,
    ],
    [
      "name and id again with each piece",
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
      "one index and no id for all",
      [
        calls({ index: 0, function: called("read_file", json) }),
        calls({ index: 0, function: called("read_file", json) }),
      ],
      [...one, ...one],
    ],
  ])("may have calls with %s", async (_, deltas, expected) => {
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
  ])("ends with %s as %s", async (reason, finishReason) => {
    expect(await answer(streams(half, chunk({}, { finish_reason: reason })))).toMatchObject({
      text: "Half",
      finishReason,
    });
  });

  it("is what comes after reasoning that its server did not tell apart, which goes back as it came", async () => {
    const pieces = ["<thi", "nk>\nHm, all?\n</think>", "\n\nAll."].map((content) => chunk({ content }));
    const thought = await answer(streams(...pieces, done));
    expect(thought.text).toBe("All.");
    expect(JSON.stringify(thought.echo)).toContain("<think>\\nHm, all?\\n</think>\\n\\nAll.");
    const unclosed = chunk({ content: "<think>Hm, all" });
    expect((await answer(streams(unclosed, chunk({}, { finish_reason: "length" })))).text).toBe("");
    expect((await answer(streams(unclosed, done))).text).toBe("<think>Hm, all");
    expect((await answer(streams(chunk({ content: "Use </think> and <think>." }), done))).text).toContain("</think>");
  });

  it("goes back with the details of its reasoning, as OpenRouter wants it, each whole", async () => {
    const thinks = [
      detail("reasoning.text", 0, { text: "Let me", signature: null }),
      detail("reasoning.text", 0, { text: " see.", signature: "S1" }),
      detail("reasoning.encrypted", 0, { id: "call-1", data: "AAAA" }),
    ];
    const looks = streams(...thinks, calls({ index: 0, id: "call-1", function: called("list_files", "{}") }), done);
    await using server = await modelServer(looks, streams(all, done));
    const model = wire.open(server.baseUrl);
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

  it("is none when its server could not make out a call, which is asked for again", async () => {
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

describe("an answer that its server breaks off", () => {
  it.each<[string, Reply, string]>([
    ["by its reason to end", streams(half, chunk({}, { finish_reason: "error" })), "'error'"],
    [
      "for what it lacks",
      streams(half, chunk({}, { finish_reason: "insufficient_system_resource" })),
      "system_resource",
    ],
    ["by an error as a text", streams(half, { error: "Model crashed" }), "Model crashed"],
    ["by an error beside the answer", streams({ ...half, error: { code: 502, message: "Gone" } }), "Gone"],
    ["by an error in the choice", streams({ choices: [{ error: { code: 502, message: "Gone" } }] }), "Gone"],
    ["by an error without words", streams(half, { error: { type: "overloaded" } }), "overloaded"],
    ["by an error without an event", bytes(`${event(half)}{"error":{"message":"Runner stopped"}}\n`), "Runner stopped"],
    [
      "by an error over several lines",
      bytes('{\n  "error": {\n    "message": "Runner stopped"\n  }\n}\n'),
      "Runner stopped",
    ],
    ["by an end within a line", bytes(`${event(half)}data: {"choices":[{"de`), "ended"],
    ["by an end after an empty reason", bytes(event(chunk({ content: "Half" }, { finish_reason: "" }))), "ended"],
  ])("%s is asked for again", async (_, reply, words) => {
    const failure = failureOf((await ask(wire, reply)).outcome);
    expect(failure).toMatchObject({ category: "model_unavailable", retryable: true });
    expect(failure.title).toContain(words);
  });

  it.each<[object, boolean]>([
    [{ object: "error", message: "context length is 4096 tokens", type: "BadRequestError", code: 400 }, true],
    [{ error: { message: "No such tool", type: "invalid_request_error" } }, false],
  ])("because it refuses the request, %j, is not", async (error, tooLong) => {
    const { outcome } = await ask(wire, streams(half, error));
    expect(failureOf(outcome)).toMatchObject({ category: "model_refused", retryable: false });
    expect("contextOverflow" in outcome).toBe(tooLong);
  });
});
