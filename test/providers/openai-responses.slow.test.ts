import { describe, expect, it } from "vitest";
import type { Message, ModelOutcome, SentRequest } from "../../src/agent/model.ts";
import { parseExact } from "../../src/json.ts";
import { openAiResponses } from "../../src/agent/models/openai/openai-responses.ts";
import { reasoningText } from "../../src/agent/reasoning.ts";
import { responsesSuite } from "./responses.contract.ts";
import { answerOf, callModel, failureOf, request, tools } from "./call-model.ts";
import { conversationSuite } from "./conversation.contract.ts";
import { failuresSuite } from "./failures.contract.ts";
import { lastEventSuite } from "./last-event.contract.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { rejects } from "./provider-fixture.ts";
import { responsesFixture as provider } from "./responses-fixture.ts";
import {
  callItem,
  eventsOf,
  type Item,
  itemEvents,
  messageItem,
  reasoningItem,
  responds,
  responseOf,
  streams,
  usageOf,
} from "./responses-server.ts";

const hi = responds([messageItem("msg_1", "Hi.")]);
const inputOf = (body: Record<string, unknown> | undefined): Item[] => body?.["input"] as Item[];
const sendsJson =
  (status: number, body: unknown): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

describe("openai-responses", () => {
  responsesSuite(provider);
  conversationSuite(provider, { signed: true });
  failuresSuite(provider);
  lastEventSuite(provider);

  it("asks for nothing to be stored, encrypted reasoning, a summary of it, and tools with optional arguments", async () => {
    const { received } = await callModel(provider, hi, { cacheKey: "run-1" });
    expect(received[0]?.body).toEqual({
      model: "m",
      instructions: "Be brief.",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
      tools: tools.map(({ name, description, input }) => ({
        type: "function",
        name,
        description,
        parameters: input,
        strict: false,
      })),
      reasoning: { summary: "auto" },
      include: ["reasoning.encrypted_content"],
      store: false,
      stream: true,
      prompt_cache_key: "run-1",
    });
  });

  it("needs neither API key nor tools, and accepts a base URL with a trailing slash", async () => {
    await using server = await modelServer(hi);
    const outcome = await openAiResponses({ baseUrl: `${server.baseUrl}/`, model: "m" })()(request({ tools: [] }));
    expect(answerOf(outcome).text).toBe("Hi.");
    expect(server.received[0]?.url).toBe("/v1/responses");
    expect(server.received[0]?.headers).not.toHaveProperty("authorization");
    expect(server.received[0]?.body).not.toHaveProperty("tools");
  });

  it("sends the reasoning effort and the service tier, and counts reasoning tokens", async () => {
    const usage = usageOf({ input: 10, output: 90, reasoning: 80 });
    const { outcome, received } = await callModel(provider, responds([messageItem("msg_1", "Hi.")], { usage }), {
      parameters: { reasoningEffort: "high", serviceTier: "flex" },
    });
    expect(received[0]?.body).toMatchObject({ reasoning: { effort: "high", summary: "auto" }, service_tier: "flex" });
    expect(answerOf(outcome).usage).toEqual({ inputTokens: 10, outputTokens: 90, reasoningTokens: 80 });
    expect(outcome).toMatchObject({
      received: { id: "resp_1", model: "m-2026-01-01", reason: "completed", usage: { output_tokens: 90 } },
    });
  });

  it("leaves the tokens unknown that a server does not report", async () => {
    const { outcome } = await callModel(provider, responds([messageItem("msg_1", "Hi.")], { usage: null }));
    expect(answerOf(outcome).usage).toEqual({ inputTokens: 0, outputTokens: 0 });
  });

  describe("reasoning", () => {
    const thought = reasoningItem("rs_1", "ENCRYPTED-1", "First this.", "Then that.");
    const hidden = reasoningItem("rs_2", "ENCRYPTED-2");
    const results: Message = { role: "tool", results: [{ callId: "a", name: "list_files", text: "none" }] };

    async function sentBack(items: Item[]): Promise<{ input: Item[]; outcome: ModelOutcome }> {
      await using server = await modelServer(responds(items), hi);
      const model = provider.open(server.baseUrl);
      const outcome = JSON.parse(JSON.stringify(await model(request()))) as ModelOutcome;
      const messages: Message[] = [
        { role: "user", text: "Hello" },
        { role: "assistant", answer: answerOf(outcome) },
        results,
      ];
      await model(request({ messages }));
      return { input: inputOf(server.received[1]?.body), outcome };
    }

    it("is sent back as it was received, in its place, and its summary is the thinking of the answer", async () => {
      const said = messageItem("msg_1", "Looking.", { phase: "commentary" });
      const { input, outcome } = await sentBack([thought, said, hidden, callItem("a", "list_files", "{}")]);
      expect(input.slice(1, -1)).toEqual([
        thought,
        { type: "message", role: "assistant", content: "Looking.", phase: "commentary" },
        hidden,
        { type: "function_call", call_id: "a", name: "list_files", arguments: "{}" },
      ]);
      expect(reasoningText(answerOf(outcome))).toBe("First this.\n\nThen that.");
    });

    it("that is not encrypted is sent back if the server showed it, and its summary alone is not", async () => {
      const open = { ...reasoningItem("rs_1", undefined), content: [{ type: "reasoning_text", text: "Hm." }] };
      const call = callItem("a", "list_files", "{}");
      expect((await sentBack([open, call])).input[1]).toEqual(open);
      const { input, outcome } = await sentBack([reasoningItem("rs_1", undefined, "Hm."), call]);
      expect(input.map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output"]);
      expect(reasoningText(answerOf(outcome))).toBe("Hm.");
    });

    it("of a call that breaks off counts as begun, even if none of it is shown", async () => {
      const { outcome } = await callModel(provider, (response) => {
        const reply = streams(...eventsOf([]).slice(0, 1), ...itemEvents(0, hidden).slice(0, 1));
        return reply(response, {} as never);
      });
      expect(outcome).toMatchObject({ begun: true, characters: 0, failure: { category: "model_unavailable" } });
    });

    it.each([
      "The encrypted content gAAA...6W4= could not be verified. Reason: it could not be decrypted or parsed.",
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ])("that the server does not accept any more is left out of this conversation only: %s", async (message) => {
      await using server = await modelServer(
        responds([thought, callItem("a", "list_files", "{}")]),
        rejects(provider, 400, message),
        hi,
        hi,
      );
      const model = provider.open(server.baseUrl);
      const answer = answerOf(await model(request()));
      const sent: SentRequest[] = [];
      const messages: Message[] = [{ role: "user", text: "Hello" }, { role: "assistant", answer }, results];
      expect(answerOf(await model(request({ messages, onSent: (one) => void sent.push(one) }))).text).toBe("Hi.");
      await model(request());
      const [, , retried, other] = server.received.map(({ body }) => JSON.stringify(body));
      expect(retried).not.toContain("ENCRYPTED");
      expect(other).toContain("reasoning.encrypted_content");
      expect(sent.map(({ compat }) => compat)).toEqual([undefined, { reasoningContent: "omit" }]);
    });
  });

  describe("a server that rejects a field", () => {
    it("gets the next requests without it, one field after another", async () => {
      await using server = await modelServer(
        rejects(provider, 400, "Unsupported parameter: 'reasoning.summary' is not supported with this model."),
        rejects(provider, 400, "Encrypted content is not supported with this model."),
        rejects(provider, 400, "Unknown parameter: 'prompt_cache_key'."),
        hi,
        hi,
      );
      const model = provider.open(server.baseUrl);
      for (const _ of [1, 2]) expect(answerOf(await model(request({ cacheKey: "run-1" }))).text).toBe("Hi.");
      const [, , , third, fourth] = server.received.map(({ body }) => body);
      expect(Object.keys(third ?? {})).toEqual(["model", "instructions", "input", "tools", "store", "stream"]);
      expect(fourth).toEqual(third);
    });

    it("gets all fields that the configuration names, and the failure says what it rejects", async () => {
      await using server = await modelServer(rejects(provider, 400, "Unknown parameter: 'prompt_cache_key'."));
      const compat = { supportsPromptCacheKey: true } as const;
      const model = openAiResponses({ baseUrl: server.baseUrl, model: "m", compat })();
      expect(failureOf(await model(request({ cacheKey: "run-1" }))).title).toContain("Unknown parameter");
      expect(server.received).toHaveLength(1);
    });

    it.each([
      ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", "parameters.reasoningEffort"],
      ["Unsupported parameter: 'temperature' is not supported with this model.", "parameters.temperature"],
      ["Unsupported service_tier: flex", "parameters.serviceTier"],
      [
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.",
        "parameters.maxOutputTokens",
      ],
    ])("that an agent sets fails: %s", async (message, setting) => {
      const { outcome, received } = await callModel(provider, rejects(provider, 400, message), {
        parameters: { reasoningEffort: "low", temperature: 0.5, maxOutputTokens: 8, serviceTier: "flex" },
      });
      expect(failureOf(outcome)).toMatchObject({ category: "model_configuration", retryable: false });
      expect(failureOf(outcome).remedy).toContain(setting);
      expect(received).toHaveLength(1);
    });

    it("gets the response in one piece after it has rejected streaming", async () => {
      const items = [reasoningItem("rs_1", "E", "Hm."), callItem("a", "list_files", "{}"), messageItem("m", "Hi.")];
      const whole = sendsJson(200, responseOf(items, { usage: usageOf({ input: 21, output: 7 }) }));
      const refused = rejects(provider, 400, "Your organization must be verified to stream this model.");
      await using server = await modelServer(refused, whole, whole);
      const model = provider.open(server.baseUrl);
      for (const _ of [1, 2]) {
        expect(answerOf(await model(request()))).toMatchObject({
          text: "Hi.",
          toolCalls: [{ id: "a", name: "list_files", input: {} }],
          finishReason: "tool-calls",
          usage: { inputTokens: 21, outputTokens: 7 },
        });
      }
      expect(server.received.map(({ body }) => body["stream"])).toEqual([true, undefined, undefined]);
    });
  });

  describe("the stream", () => {
    it("can have events that this client does not know, and items of OpenAI's own tools", async () => {
      const search = { type: "web_search_call", id: "ws_1", status: "completed" };
      const [created, ...rest] = eventsOf([messageItem("msg_1", "Hi.")]);
      const { outcome } = await callModel(
        provider,
        streams(
          created ?? { type: "" },
          { type: "keepalive" },
          { type: "response.web_search_call.searching", output_index: 7, item_id: "ws_1" },
          { type: "response.output_item.done", output_index: 7, item: search },
          { type: "response.output_text.annotation.added", output_index: 0, annotation: {} },
          ...rest,
        ),
      );
      expect(answerOf(outcome)).toMatchObject({ text: "Hi.", toolCalls: [], finishReason: "stop" });
    });

    const items = [messageItem("msg_1", "One."), callItem("a", "list_files", "{}"), callItem("b", "list_files", "{}")];
    const completed = { type: "response.completed", response: responseOf(items) };
    it.each<[string, Reply]>([
      [
        "whole items without parts",
        streams(
          ...items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
          completed,
        ),
      ],
      [
        "whole items without their places and ids",
        streams(...items.map(({ id: _id, ...item }) => ({ type: "response.output_item.done", item })), completed),
      ],
      ["all items with the end", streams(completed)],
      [
        "parts that have ids and no places",
        streams(
          ...items
            .flatMap((item) => itemEvents(0, item, item["type"] === "message" ? ["On", "e."] : ["{", "}"]))
            .map(({ output_index: _index, ...event }) => event as never),
          completed,
        ),
      ],
    ])("can have %s", async (_, reply) => {
      const { outcome } = await callModel(provider, reply);
      expect(answerOf(outcome)).toMatchObject({
        text: "One.",
        toolCalls: [
          { id: "a", input: {} },
          { id: "b", input: {} },
        ],
        finishReason: "tool-calls",
      });
    });

    it("can have arguments as an object, whose numbers keep their digits", async () => {
      const json = '{"id":2512292042121000001,"price":10.10}';
      const item = { ...callItem("a", "list_files", ""), arguments: parseExact(json) };
      const { outcome } = await callModel(provider, responds([item]));
      expect(answerOf(outcome).toolCalls).toMatchObject([{ id: "a", name: "list_files", json }]);
    });

    it("has the arguments so far of a call that is cut off without an end", async () => {
      const cut = itemEvents(0, callItem("a", "read_file", ""), ['{"name":"a', "aaa"]).slice(0, -2);
      const response = responseOf([], {
        status: "incomplete",
        incomplete_details: { reason: "max_output_tokens" },
      });
      const { outcome } = await callModel(provider, streams(...cut, { type: "response.incomplete", response }));
      expect(answerOf(outcome)).toMatchObject({
        finishReason: "length",
        toolCalls: [{ name: "read_file", input: '{"name":"aaaa', invalid: expect.stringContaining("cut off") }],
      });
    });

    it("has a refusal as the text, which the provider filtered", async () => {
      const words = "I can't help with that.";
      const refusal = { ...messageItem("msg_1", ""), content: [{ type: "refusal", refusal: words }] };
      const delta = { type: "response.refusal.delta", output_index: 0, item_id: "msg_1", content_index: 0 };
      for (const events of [
        [],
        [
          { ...delta, delta: "I can't help " },
          { ...delta, delta: "with that." },
        ],
      ]) {
        const end = eventsOf([refusal]).slice(-2);
        const { outcome } = await callModel(provider, streams(...events, ...end));
        expect(answerOf(outcome)).toMatchObject({ text: words, finishReason: "content-filter" });
      }
    });

    it.each([
      ["server_error", "model_unavailable", true],
      ["rate_limit_exceeded", "model_unavailable", true],
      ["insufficient_quota", "model_configuration", false],
      ["invalid_prompt", "model_refused", false],
      ["context_length_exceeded", "model_refused", false],
      ["image_parse_error", "model_refused", false],
    ] as const)("classifies the error %s", async (code, category, retryable) => {
      const error = { code, message: "Said so" };
      for (const event of [
        { type: "response.failed", response: responseOf([], { status: "failed", error }) },
        { type: "error", ...error, param: null },
        { type: "error", error },
      ]) {
        const { outcome } = await callModel(provider, streams(...eventsOf([]).slice(0, 2), event));
        expect(failureOf(outcome)).toMatchObject({ category, retryable, title: expect.stringContaining("Said so") });
      }
    });

    it("says that an overflow in it is one, so that the conversation is compacted", async () => {
      const error = {
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model.",
      };
      const failed = { type: "response.failed", response: responseOf([], { status: "failed", error }) };
      const { outcome } = await callModel(provider, streams(failed));
      expect(outcome).toMatchObject({ contextOverflow: true });
    });

    it("counts what it sent before it broke off", async () => {
      const beginning = itemEvents(0, callItem("a", "read_file", ""), ['{"name":', '"a.txt"']).slice(0, 3);
      const { outcome } = await callModel(provider, streams(...eventsOf([]).slice(0, 1), ...beginning));
      expect(outcome).toMatchObject({ begun: true, characters: 15, failure: { retryable: true } });
    });

    it.each([
      [sendsJson(200, { hello: 1 }), "model_answer", "cannot be read"],
      [sendsJson(200, { error: { message: "No such model", code: 404 } }), "model_configuration", "No such model"],
      [sendsJson(200, { error: "Overloaded" }), "model_unavailable", "Overloaded"],
      [streams({ type: "response.completed" }), "model_unavailable", "ended before the response"],
    ] as const)("that is no response is a failure (%#)", async (reply, category, words) => {
      const { outcome } = await callModel(provider, reply);
      expect(failureOf(outcome)).toMatchObject({ category, title: expect.stringContaining(words) });
    });

    it("that is not JSON is not retried", async () => {
      const { outcome } = await callModel(provider, (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {broken}\n\ndata: {}\n\n");
      });
      expect(failureOf(outcome)).toMatchObject({ category: "model_answer", retryable: false });
    });
  });
});
