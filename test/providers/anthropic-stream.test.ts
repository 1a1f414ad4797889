import { describe, expect, it } from "vitest";
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

  it.each([
    [{ message: "Boom", type: "None", code: "500" }, true],
    ["Boom", true],
    [{ type: "invalid_request_error", message: "Boom: prompt is too long" }, false],
  ])("can be interrupted by the error %j", async (error, retryable) => {
    const { outcome } = await callModel(provider, sends(start(), ...all, { type: "error", error }));
    expect(failureOf(outcome)).toMatchObject({ retryable, title: expect.stringContaining("Boom") });
  });
});
