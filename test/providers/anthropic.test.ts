import { describe, expect, it } from "vitest";
import { responsesSuite } from "./responses.contract.ts";
import { answerOf, callModel, failureOf, request } from "./call-model.ts";
import { conversationSuite } from "./conversation.contract.ts";
import { failuresSuite } from "./failures.contract.ts";
import { lastEventSuite } from "./last-event.contract.ts";
import { eventsOf, anthropicFixture as provider, sendEvents, startStream } from "./anthropic-fixture.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { streamsResponse } from "./provider-fixture.ts";

const hi = streamsResponse(provider, { text: ["Hi."] });

/** A response with these events between its first and last event. */
function events(...blocks: Parameters<typeof sendEvents>[1][]): Reply {
  return (response) => {
    const [start, ...rest] = eventsOf({ finish: "stop" });
    startStream(response);
    if (start) sendEvents(response, start, ...blocks, ...rest.slice(1));
    response.end();
  };
}

describe("anthropic", () => {
  responsesSuite(provider);
  conversationSuite(provider, { signed: true });
  failuresSuite(provider);
  lastEventSuite(provider);

  it("enables prompt caching for requests with tools", async () => {
    const { received } = await callModel(provider, [hi]);
    expect(received[0]?.body["cache_control"]).toEqual({ type: "ephemeral" });
    const { received: last } = await callModel(provider, [hi], { tools: [] });
    expect(JSON.stringify(last[0]?.body)).not.toContain("cache_control");
  });

  it.each([
    ["claude-sonnet-4-5", "low", { type: "enabled", budget_tokens: 6_400 }],
    ["claude-sonnet-4-5", "high", { type: "enabled", budget_tokens: 38_400 }],
    ["claude-opus-4-6", "medium", { type: "adaptive", display: "summarized" }],
  ] as const)("sends %s the effort %s in its own format", async (model, reasoningEffort, thinking) => {
    const parameters = { reasoningEffort, maxOutputTokens: 2_000 };
    const { sent, received } = await callModel(provider, hi, { parameters }, { model });
    expect(sent[0]?.effort).toEqual(thinking);
    // The thinking budget is added to the output limit. Otherwise it would truncate the response.
    const budget = "budget_tokens" in thinking ? thinking.budget_tokens : 0;
    expect(sent[0]?.maxOutputTokens).toBe(2_000 + budget);
    if (budget === 0) expect(received[0]?.body["output_config"]).toEqual({ effort: reasoningEffort });
  });

  it("sends a service tier, and refuses one that it does not have", async () => {
    const { received } = await callModel(provider, hi, { parameters: { serviceTier: "standard_only" } });
    expect(received[0]?.body["service_tier"]).toEqual("standard_only");
    expect(received[0]?.body["cache_control"]).toEqual({ type: "ephemeral" });
    const other = await callModel(provider, hi, { parameters: { serviceTier: "flex" } });
    expect(other.received).toEqual([]);
    expect(other.outcome).toMatchObject({
      failure: {
        category: "model_configuration",
        title: "Anthropic's Messages API has no service tier 'flex'.",
        remedy: "Set parameters.serviceTier of the agent to one of auto, standard_only, or remove it.",
      },
    });
  });

  it("counts thinking tokens", async () => {
    const { outcome } = await callModel(
      provider,
      streamsResponse(provider, { text: ["Hi."], usage: { input: 9, output: 70, reasoning: 60 } }),
    );
    expect(answerOf(outcome).usage).toEqual({ inputTokens: 9, outputTokens: 70, reasoningTokens: 60 });
  });

  it("sends back redacted thinking", async () => {
    const withheld = events(
      { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "EmwKAhgB" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hm." } },
      { type: "content_block_stop", index: 1 },
    );
    await using server = await modelServer(withheld, hi);
    const model = provider.open(server.baseUrl);
    const answer = answerOf(await model(request()));
    await model(
      request({
        messages: [
          { role: "user", text: "Hello" },
          { role: "assistant", answer },
          { role: "user", text: "And?" },
        ],
      }),
    );
    expect(server.received[1]?.body.messages[1]).toMatchObject({
      role: "assistant",
      content: [
        { type: "redacted_thinking", data: "EmwKAhgB" },
        { type: "text", text: "Hm." },
      ],
    });
  });

  it.each([
    ["overloaded_error", "model_unavailable", true],
    ["api_error", "model_unavailable", true],
    ["rate_limit_error", "model_unavailable", true],
    ["invalid_request_error", "model_refused", false],
    ["authentication_error", "model_configuration", false],
  ] as const)("classifies the error %s in the stream", async (type, category, retryable) => {
    const { outcome } = await callModel(provider, (response) => {
      startStream(response);
      sendEvents(response, { type: "error", error: { type, message: "Said so" } });
      response.end();
    });
    expect(failureOf(outcome)).toMatchObject({ category, retryable, title: expect.stringContaining("Said so") });
  });

  it("reports a full context window as finish reason length", async () => {
    const { outcome } = await callModel(provider, (response) => {
      startStream(response);
      for (const event of eventsOf({ text: ["Half"], finish: "length" })) {
        const delta = { stop_reason: "model_context_window_exceeded", stop_sequence: null };
        sendEvents(response, event.type === "message_delta" ? { ...event, delta } : event);
      }
      response.end();
    });
    expect(answerOf(outcome)).toMatchObject({ text: "Half", finishReason: "length" });
  });
});
