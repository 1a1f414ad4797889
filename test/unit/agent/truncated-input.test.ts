import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/agent/model.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { truncatedInput } from "../../../src/agent/turn/history/truncated-input.ts";
import { answer, call, scripted, turn } from "./scripted.ts";

const sentence = "The quick brown fox jumps over the lazy dog near the river bank while 12 others watch it. ";
const prose = (words: number): string => sentence.repeat(Math.ceil(words / 18));
const csvRows = (rows: number): string =>
  Array.from({ length: rows }, (_, n) => `${n},2026-11-${10 + (n % 20)},Berlin,${n * 37}.50`).join("\n");
const han = "系统在处理请求时会检查所有文件并返回结果。";

const reported = (text: string, inputTokens: number, more: { contextWindow?: number; previous?: number } = {}) =>
  truncatedInput({ instructions: "Be brief.", messages: [{ role: "user", text }] }, { inputTokens, ...more });

describe("an input that the model server cut", () => {
  it.each<[string, string, number, { contextWindow?: number; previous?: number }]>([
    ["Ollama, older messages dropped", prose(6_000), 3_120, { contextWindow: 4_096 }],
    ["a CSV of 3,000 rows", csvRows(3_000), 2_048, {}],
    ["a window of 8,192 tokens that is not reported", prose(30_000), 8_192, {}],
    ["a window without its first token", prose(30_000), 4_095, {}],
    ["a window of 10,000 tokens", prose(30_000), 10_000, {}],
    ["Chinese text", han.repeat(3_000), 4_096, {}],
    ["the same count for a longer conversation", prose(30_000), 3_777, { previous: 3_777 }],
  ])("is a failure: %s", (_, text, inputTokens, more) => {
    expect(reported(text, inputTokens, more)).toMatchObject({
      category: "model_configuration",
      retryable: false,
      title: expect.stringContaining(`cut the input: it read ${inputTokens} of more than `),
      remedy: expect.stringMatching(/num_ctx.*contextTokens/),
    });
  });

  it.each([
    ["30,000 words", prose(30_000)],
    ["a little more than the window", prose(3_100)],
    ["one long word", "a".repeat(20_000)],
  ])("is a failure when it is as long as Ollama's window of 4,096 tokens: %s", (_, text) => {
    expect(reported(text, 4_096, { contextWindow: 4_096 })).toMatchObject({
      title: "The model server cut the input to 4096 tokens.",
      remedy: expect.stringMatching(/num_ctx.*contextTokens to at most 4096/),
    });
  });

  it.each<[string, string, number, { contextWindow?: number; previous?: number }]>([
    ["English prose, 1.3 tokens per word", prose(30_000), 39_000, {}],
    ["a tokenizer with one token per word", prose(30_000), 30_000, {}],
    ["a round number of tokens", prose(3_000), 4_096, {}],
    ["a window that was raised since it was read", prose(30_000), 39_000, { contextWindow: 4_096 }],
    ["separators, 64 characters per token", "=".repeat(500_000), 8_192, {}],
    ["indented lines", `${" ".repeat(60)}x\n`.repeat(5_000), 10_240, {}],
    ["one long word", "a".repeat(300_000), 4_096, {}],
    ["base64", Buffer.alloc(100_000, "Hello, World! 123").toString("base64"), 75_000, {}],
    ["Chinese text, 1.5 characters per token", han.repeat(3_000), 40_000, {}],
    ["a server that counts only tokens outside of its cache", prose(30_000), 713, {}],
    ["a server that reports a constant", prose(30_000), 10, { previous: 10 }],
    ["a server that does not count", prose(30_000), 0, { previous: 0, contextWindow: 4_096 }],
  ])("is not reported: %s", (_, text, inputTokens, more) => {
    expect(reported(text, inputTokens, more)).toBeUndefined();
  });

  it("counts neither attachments nor reasoning", () => {
    const messages: Message[] = [
      { role: "user", text: "What is it?", attachments: [{ name: "a.png", mediaType: "image/png" }] },
      { role: "assistant", answer: { text: "", toolCalls: [], echo: prose(30_000) } },
    ];
    expect(truncatedInput({ instructions: "", messages }, { inputTokens: 2_048 })).toBeUndefined();
  });

  it("fails the turn and keeps the usage of the call", async () => {
    const usage = { inputTokens: 4_096, outputTokens: 7 };
    const { model } = scripted([{ ...answer("It is a story.", [], { usage }), contextWindow: 4_096 }]);
    const { input, ports } = turn(model, { input: { history: [{ role: "user", text: prose(30_000) }] } });
    expect(await runTurn(input, ports)).toMatchObject({
      kind: "failed",
      failure: { category: "model_configuration", retryable: false },
      last: { answer: { usage }, window: 4_096 },
    });
  });

  it("fails a later step when the count does not grow with the conversation", async () => {
    const usage = { inputTokens: 3_777, outputTokens: 7 };
    const { model } = scripted([answer("", [call("1", "list_files", {})], { usage }), answer("Done.", [], { usage })]);
    const history = [{ role: "user" as const, text: prose(30_000) }];
    const { input, ports, records } = turn(model, { input: { history } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "failed", failure: { category: "model_configuration" } });
    expect(records.length).toBeGreaterThan(0);
  });

  it("a smaller context window is recorded only when it is smaller than contextTokens", async () => {
    for (const [contextTokens, window] of [
      [undefined, 4_096],
      [4_096, undefined],
    ] as const) {
      const { model } = scripted([{ ...answer("Hi."), contextWindow: 4_096 }]);
      const { input, ports } = turn(model, { input: contextTokens === undefined ? {} : { contextTokens } });
      const outcome = await runTurn(input, ports);
      expect(outcome.kind === "done" && outcome.last.window).toBe(window);
    }
  });
});
