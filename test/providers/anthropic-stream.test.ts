import { describe, expect, it } from "vitest";
import { parseExact } from "../../src/json.ts";
import { answerOf, callModel, failureOf } from "./call-model.ts";
import { anthropicFixture as provider } from "./anthropic-fixture.ts";
import type { Reply } from "./model-server.ts";

type Event = { type: string; [field: string]: unknown };

function sends(...events: Event[]): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
}

function sendsJson(json: string): Reply {
  return (response) => void response.writeHead(200, { "content-type": "application/json" }).end(json);
}

function start(usage: unknown = { input_tokens: 21, output_tokens: 1 }): Event {
  return { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage } };
}

function end(usage: unknown = { output_tokens: 7 }): Event[] {
  return [{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }, { type: "message_stop" }];
}

function block(index: number, content_block: object, ...deltas: object[]): Event[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const text = { type: "text", text: "" };
const piece = { type: "text_delta", text: "All." };
const all = block(0, text, piece);

describe("a response of a Messages API server", () => {
  it.each<[string, Event[]]>([
    ["unknown events", [start(), { type: "message_hint", hint: 1 }, ...all, ...end()]],
    [
      "unknown blocks",
      [start(), ...block(0, { type: "sketch" }, { type: "sketch_delta" }), ...block(1, text, piece), ...end()],
    ],
    ["unknown deltas", [start(), ...block(0, text, { type: "hint_delta" }, piece), ...end()]],
    [
      "token counts null at the start",
      [start({ input_tokens: null }), ...all, ...end({ input_tokens: 21, output_tokens: 7 })],
    ],
    ["no token counts at the start", [start(null), ...all, ...end({ input_tokens: 21, output_tokens: 7 })]],
    ["0 input tokens at the end", [start(), ...all, ...end({ input_tokens: 0, output_tokens: 7 })]],
    [
      "text in the block start",
      [start(), ...block(0, { type: "text", text: "All" }, { type: "text_delta", text: "." }), ...end()],
    ],
  ])("can have %s", async (_, events) => {
    const { outcome } = await callModel(provider, sends(...events));
    expect(answerOf(outcome)).toEqual(
      expect.objectContaining({ text: "All.", finishReason: "stop", usage: { inputTokens: 21, outputTokens: 7 } }),
    );
  });

  it("can have no token counts", async () => {
    const none = await callModel(provider, sends({ type: "message_start", message: {} }, ...all, ...end(null)));
    expect(answerOf(none.outcome)).toMatchObject({ text: "All.", usage: { inputTokens: 0, outputTokens: 0 } });
  });

  it("can have arguments as an object at the start of a block, whose numbers keep their digits", async () => {
    const json = '{"id":2512292042121000001,"price":10.10}';
    const call = { type: "tool_use", id: "c", name: "list_files", input: parseExact(json) };
    const { outcome } = await callModel(provider, sends(start(), ...block(0, call), ...end()));
    expect(answerOf(outcome).toolCalls).toMatchObject([{ id: "c", name: "list_files", json }]);
  });

  it("can arrive in one piece", async () => {
    const json = '{"id":2512292042121000001,"price":10.10}';
    const content =
      '[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"text","text":"All."},' +
      `{"type":"tool_use","id":"c","name":"list_files","input":${json}}]`;
    const usage = '{"input_tokens":21,"output_tokens":7}';
    const message = `{"id":"m","type":"message","role":"assistant","content":${content},"stop_reason":"tool_use","usage":${usage}}`;
    const { outcome } = await callModel(provider, sendsJson(message));
    expect(answerOf(outcome)).toMatchObject({
      text: "All.",
      toolCalls: [{ id: "c", name: "list_files", json }],
      finishReason: "tool-calls",
      usage: { inputTokens: 21, outputTokens: 7 },
    });
    expect(JSON.stringify(answerOf(outcome).echo)).toContain("c2ln");
  });

  it.each([
    ['{"hello":1}', "model_answer", "does not have the format"],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}', "model_unavailable", "Busy"],
    ["", "model_unavailable", "answered with nothing"],
  ])("that is the JSON %s is a failure", async (json, category, title) => {
    const { outcome } = await callModel(provider, sendsJson(json));
    expect(failureOf(outcome)).toMatchObject({ category, title: expect.stringContaining(title) });
  });

  it("is complete with its stop reason, whatever fails then", async () => {
    const [stop = start()] = end();
    const { outcome } = await callModel(provider, sends(start(), ...all, stop, { type: "error", error: "Boom" }));
    expect(answerOf(outcome)).toMatchObject({ text: "All.", usage: { inputTokens: 21, outputTokens: 7 } });
  });

  it.each([
    [{ message: "Boom", type: "None", code: "500" }, true],
    ["Boom", true],
    [{ type: "invalid_request_error", message: "Boom: prompt is too long" }, false],
  ])("can be interrupted by the error %j", async (error, retryable) => {
    const { outcome } = await callModel(provider, sends(start(), ...all, { type: "error", error }));
    expect(failureOf(outcome)).toMatchObject({ retryable, title: expect.stringContaining("Boom") });
  });
});
