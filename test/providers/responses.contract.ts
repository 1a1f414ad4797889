import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Message, ModelAnswer } from "../../src/agent/model.ts";
import { reasoningText } from "../../src/agent/reasoning.ts";
import { answerOf, callModel, request, tools } from "./call-model.ts";
import { modelServer } from "./model-server.ts";
import { type ScriptedResponse, streamsResponse, type ProviderFixture } from "./provider-fixture.ts";

const args = (...pieces: string[]): string[] => pieces;

/** Responses of every provider. */
export function responsesSuite(provider: ProviderFixture): void {
  const answer = async (script: ScriptedResponse, more: Parameters<typeof callModel>[2] = {}) =>
    answerOf((await callModel(provider, streamsResponse(provider, script), more)).outcome);

  describe("a response", () => {
    it("is requested as a stream with system prompt, input and tools, without unset fields", async () => {
      const { outcome, sent, received } = await callModel(
        provider,
        streamsResponse(provider, { text: ["Hel", "lo."] }),
      );
      expect(answerOf(outcome)).toMatchObject({ text: "Hello.", toolCalls: [], finishReason: "stop" });
      expect(received).toHaveLength(1);
      expect(received[0]?.method).toBe("POST");
      expect(sent[0]).toMatchObject({
        streamed: true,
        instructions: "Be brief.",
        tools: tools.map(({ name }) => name),
        messages: [{ role: "user", parts: [{ text: "Hello" }] }],
      });
      expect([sent[0]?.temperature, sent[0]?.effort]).toEqual([undefined, undefined]);
      expect(JSON.stringify(received[0]?.body)).not.toContain("null");
    });

    it("is requested with the agent's parameters", async () => {
      const parameters = { temperature: 0.4, maxOutputTokens: 900 };
      const { sent } = await callModel(provider, streamsResponse(provider, { text: ["Hi."] }), { parameters });
      expect(sent[0]).toMatchObject({ temperature: 0.4, maxOutputTokens: 900, effort: undefined });
    });

    it("can contain parallel tool calls with streamed arguments", async () => {
      const { toolCalls, text, finishReason } = await answer({
        text: ["Two at once."],
        calls: [
          { id: "call_a", name: "read_file", arguments: args('{"name":', '"a.txt"}') },
          { id: "call_b", name: "read_file", arguments: args('{"name":"b', '.txt"', "}") },
          { id: "call_c", name: "list_files", arguments: args() },
        ],
        finish: "calls",
      });
      expect([text, finishReason]).toEqual(["Two at once.", "tool-calls"]);
      expect(toolCalls).toEqual([
        { id: "call_a", name: "read_file", input: { name: "a.txt" } },
        { id: "call_b", name: "read_file", input: { name: "b.txt" } },
        { id: "call_c", name: "list_files", input: {} },
      ]);
    });

    it("marks tool calls with malformed arguments or an unknown tool as invalid", async () => {
      const { toolCalls } = await answer({
        calls: [
          { id: "1", name: "read_file", arguments: args('{"name": "a') },
          { id: "2", name: "delete_all", arguments: args("{}") },
          { id: "3", name: "list_files", arguments: args("{}") },
        ],
        finish: "calls",
      });
      expect(toolCalls).toEqual([
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

    it.each([
      ["[", "]"],
      ['{"a":', "}"],
    ])("marks arguments with 50,000 nested %s as invalid", async (open, close) => {
      const nested = `{"name":${open.repeat(50_000)}1${close.repeat(50_000)}}`;
      const within = JSON.stringify({ name: "[".repeat(50_000), more: [[['"[{\\"']]] });
      const { toolCalls, echo } = await answer({
        calls: [
          { id: "1", name: "read_file", arguments: args(nested) },
          { id: "2", name: "list_files", arguments: args(within) },
        ],
        finish: "calls",
      });
      expect(toolCalls[0]?.invalid).toMatch(/^The arguments of read_file are nested more than 100 levels deep\. Rece/);
      expect(toolCalls[0]?.invalid?.length).toBeLessThan(2_000);
      expect(toolCalls[1]).toEqual({ id: "2", name: "list_files", input: JSON.parse(within) });
      expect(JSON.stringify(echo)).toContain("read_file");
    });

    it("has unique tool call ids within the conversation", async () => {
      const calls = ["a", "a", ""].map((id) => ({ id, name: "list_files", arguments: args("{}") }));
      const script: ScriptedResponse = { calls, finish: "calls" };
      await using server = await modelServer(streamsResponse(provider, script), streamsResponse(provider, script));
      const model = provider.open(server.baseUrl);
      const first = answerOf(await model(request()));
      const results = first.toolCalls.map(({ id, name }) => ({ callId: id, name, text: "None." }));
      const messages: Message[] = [
        { role: "user", text: "Hello" },
        { role: "assistant", answer: first },
        { role: "tool", results },
      ];
      const second = answerOf(await model(request({ messages })));
      const ids = [...first.toolCalls, ...second.toolCalls].map(({ id }) => id);
      expect(new Set(ids).size).toBe(6);
      expect(ids[0]).toBe("a");
      const sent = server.received[1] && provider.read(server.received[1]).messages.flatMap(({ parts }) => parts);
      expect(sent?.flatMap((part) => ("call" in part ? part.call : []))).toEqual(ids.slice(0, 3));
    });

    it("has the time until its first part, whatever that is", async () => {
      const calls = [{ id: "a", name: "list_files", arguments: args("{}") }];
      const scripts: ScriptedResponse[] = [{ text: ["Hi."] }, { calls, finish: "calls" }];
      for (const script of scripts) {
        await using server = await modelServer(streamsResponse(provider, script));
        const outcome = await provider.open(server.baseUrl)(request());
        expect(outcome).toMatchObject({ firstTokenMs: expect.any(Number) });
      }
    });

    it("keeps at most 1,000 tool calls and 256 characters of a name", async () => {
      const calls = Array.from({ length: 1_010 }, (_, n) => ({
        id: `c${n}`,
        name: n === 0 ? "x".repeat(100_000) : "list_files",
        arguments: args("{}"),
      }));
      const { toolCalls, echo } = await answer({ calls, finish: "calls" });
      expect(toolCalls).toHaveLength(1_000);
      expect(toolCalls[0]?.name).toHaveLength(256);
      expect(toolCalls[0]?.invalid?.length).toBeLessThan(1_000);
      expect(JSON.stringify(echo).split("list_files")).toHaveLength(1_000);
    });

    it("has the reasoning that came before it, which is kept once", async () => {
      const reasoning = { text: "Two files. I read both.", signature: "c2lnbmF0dXJl" };
      const calls = [{ id: "1", name: "list_files", arguments: args("{}") }];
      for (const script of [{ text: ["Hi."] }, { calls, finish: "calls" }] satisfies ScriptedResponse[]) {
        const stored = JSON.parse(JSON.stringify(await answer({ ...script, reasoning }))) as ModelAnswer;
        expect(reasoningText(stored)).toBe(reasoning.text);
        expect(JSON.stringify(stored).split(reasoning.text)).toHaveLength(2);
      }
      const plain = await answer({ text: ["Hi."] });
      expect([plain.reasoning, reasoningText(plain)]).toEqual([undefined, undefined]);
    });

    it("has the reasoning that its text begins with", async () => {
      const tagged = await answer({ text: ["<think>I lo", "ok.</th", "ink>\n\nHi."] });
      expect([tagged.text, reasoningText(tagged)]).toEqual(["Hi.", "I look."]);
      const cut = await answer({ text: ["<think>I look and lo"], finish: "length" });
      expect([cut.text, reasoningText(cut)]).toEqual(["", "I look and lo"]);
    });

    it("has unpaired surrogates replaced", async () => {
      const { text, toolCalls, echo } = await answer({
        text: ["half \ud83d", "\ude00 and \ud800 alone"],
        calls: [{ id: "1", name: "read_file", arguments: args('{"name":"\\udc00","\\ud800":1}') }],
        finish: "calls",
      });
      expect(text).toBe("half 😀 and \ufffd alone");
      expect(toolCalls[0]?.input).toEqual({ name: "\ufffd", "\ufffd": 1 });
      expect(JSON.stringify(echo)).not.toMatch(/\\ud[89a-f]/);
      const { sent } = await callModel(provider, streamsResponse(provider, { text: ["Hi."] }), {
        instructions: "Be \ud800.",
      });
      expect(sent[0]?.instructions).toBe("Be \ufffd.");
    });

    it("says in an invalid call that the response was cut off", async () => {
      const { toolCalls, finishReason } = await answer({
        calls: [{ id: "1", name: "read_file", arguments: args('{"name":"a', "aaaa") }],
        finish: "length",
      });
      expect(finishReason).toBe("length");
      expect(toolCalls[0]?.invalid).toContain("cut off at its maximum length");
    });

    it.each([
      ["length", "length"],
      ["refusal", "content-filter"],
    ] as const)("that ends with %s has the finish reason %s and the text so far", async (finish, finishReason) => {
      expect(await answer({ text: ["Half"], finish })).toMatchObject({ text: "Half", finishReason });
      expect(await answer({ finish })).toMatchObject({ text: "", toolCalls: [], finishReason });
    });

    it("can be empty", async () => {
      const usage = { input: 21, output: 1 };
      const expected = { text: "", toolCalls: [], finishReason: "stop", usage: { inputTokens: 21, outputTokens: 1 } };
      expect(await answer({ text: [""], usage })).toMatchObject(expected);
      expect(await answer({ usage })).toMatchObject(expected);
    });

    it("counts cached tokens as input", async () => {
      const { usage } = await answer({ text: ["Hi."], usage: { input: 1_200, output: 30, cached: 1_000 } });
      expect(usage).toEqual({ inputTokens: 1_200, outputTokens: 30, cachedInputTokens: 1_000 });
      if (provider.countsCacheWrites) {
        const first = await answer({ text: ["Hi."], usage: { input: 1_200, output: 30, cached: 200, written: 900 } });
        expect(first.usage).toEqual({
          inputTokens: 1_200,
          outputTokens: 30,
          cachedInputTokens: 200,
          cacheWriteInputTokens: 900,
        });
      }
      const plain = await answer({ text: ["Hi."], usage: { input: 12, output: 3 } });
      expect(plain.usage).toEqual({ inputTokens: 12, outputTokens: 3 });
    });

    it("can start late", async () => {
      const { outcome } = await callModel(provider, async (response) => {
        await sleep(400);
        provider.send(response, { text: ["Late."] });
        response.end();
      });
      expect(answerOf(outcome).text).toBe("Late.");
    });
  });
}
