import { describe, expect, it } from "vitest";
import type { Message, Model, ModelOutcome, ModelRequest } from "../../../src/agent/model.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { readMemory } from "../../../src/agent/turn/history/summary-text.ts";
import { answer, call, turn } from "./scripted.ts";

const window = 20_000;

/** Tokens of a request, with three bytes per token as in `bytesPerToken`. */
const sizeOf = (request: ModelRequest): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify([request.instructions, request.messages, request.tools])) / 3);

/**
 * A model with that context window, which rejects longer requests. It calls `look` for `steps` steps and writes
 * summaries. `requests`: the requests of the conversation. `counts`: whether it reports token usage.
 */
function model(steps: number, { counts = true } = {}) {
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const refusals: number[] = [];
  const ask: Model = async (request): Promise<ModelOutcome> => {
    const size = sizeOf(request);
    if (size > window) {
      refusals.push(size);
      const failure = { category: "model_refused", title: `Too long: ${size}.`, remedy: "", retryable: false } as const;
      return { failure, contextOverflow: true };
    }
    const usage = { inputTokens: counts ? size : 0, outputTokens: counts ? 10 : 0 };
    if (request.instructions.startsWith("You summarize")) {
      summaries.push(
        structuredClone({ ...request, signal: undefined, onSent: undefined, readAttachment: undefined }) as never,
      );
      return answer(`Summary ${summaries.length}.`, [], { usage });
    }
    requests.push({ ...request, messages: structuredClone(request.messages) });
    if (requests.length > steps || request.tools.length === 0) return answer("Done.", [], { usage });
    return answer("", [call(`${requests.length}`, "look", { at: requests.length })], { usage });
  };
  return { ask, requests, summaries, refusals };
}

const look = (characters: number): Tool => ({
  definition: { name: "look", description: "", input: {} },
  run: async (input) => ({ text: `${(input as { at: number }).at}: ${"x".repeat(characters)}` }),
});

const setUp = (ask: Model, tool: Tool, input: Parameters<typeof turn>[1] = {}) =>
  turn(ask, { ports: { tools: [tool] }, input: { contextTokens: window, ...input.input } });

/** The same model, with a long text in each answer. */
function talking(steps: number) {
  const inner = model(steps);
  const ask: Model = async (request) => {
    const asked = await inner.ask(request);
    if (!("answer" in asked) || asked.answer.toolCalls.length === 0) return asked;
    return { answer: { ...asked.answer, text: "t".repeat(4_000) } };
  };
  return { ...inner, ask };
}

describe("a conversation near the context window", () => {
  it.each([true, false])(
    "is truncated at the oldest tool results and never exceeds it (token usage reported: %s)",
    async (counts) => {
      const { ask, requests, summaries } = model(30, { counts });
      const { input, ports, records, events } = setUp(ask, look(6_000));
      expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
      expect(requests).toHaveLength(31);
      expect(summaries).toEqual([]);
      const cuts = records.flatMap((record) => (record.part === "answer" && record.cut ? [record.cut] : []));
      expect(cuts.length).toBeGreaterThan(2);
      expect(cuts.length).toBeLessThan(10); // few large truncations keep the provider's prompt cache useful
      expect(events.filter(({ type }) => type === "conversation-compacted")).toHaveLength(cuts.length);

      const last = requests.at(-1)?.messages ?? [];
      const results = last.flatMap((message) => (message.role === "tool" ? message.results : []));
      expect(results).toHaveLength(30);
      expect(results[0]?.text).toMatch(/^1: x+…\n\[Truncated.*had 6003 characters/);
      expect(results.at(-1)?.text).toHaveLength(6_004);
      expect(last[0]).toEqual({ role: "user", text: "Go." });
    },
  );

  it.each([
    [1, [1, 2, 3]],
    [2, [3]],
  ])("counts the pages of the PDFs that results show: %i each", async (pages, shown) => {
    const { ask, requests } = model(3, { counts: false });
    const show: Tool = {
      definition: look(0).definition,
      run: async (input) => {
        const name = String((input as { at: number }).at);
        return { text: name, attachments: [{ name, mediaType: "application/pdf", pages }] };
      },
    };
    const { input, ports } = setUp(ask, show);
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
    const last = requests.at(-1)?.messages.flatMap((each) => (each.role === "tool" ? each.results : [])) ?? [];
    const names = last.flatMap(({ attachments = [] }) => attachments.map(({ name }) => Number(name)));
    expect(names).toEqual(shown);
    if (shown.length === 1) expect(last[0]?.text).toContain("Removed attachments: 1.");
  });

  it("resumes after a crash with the same conversation", async () => {
    const whole = model(12);
    const first = setUp(whole.ask, look(6_000));
    await runTurn(first.input, first.ports);
    const kept = first.records.filter(({ step }) => step <= 11);
    const after = model(0);
    const again = setUp(after.ask, look(6_000), { input: { journal: kept } });
    await runTurn(again.input, again.ports);
    expect(after.requests[0]?.messages).toEqual(whole.requests[11]?.messages);
  });

  it("is summarized when truncation is not enough, and keeps the turn's input", async () => {
    const { ask, requests, summaries } = model(3);
    const history: Message[] = Array.from({ length: 20 }, (_, n): Message[] => [
      { role: "user", text: `Question ${n + 1}. ${"q".repeat(1_000)}` },
      { role: "assistant", answer: { text: `Answer ${n + 1}. ${"a".repeat(1_800)}`, toolCalls: [] } },
    ]).flat();
    history.push({ role: "user", text: "And now?" });
    const { input, ports, records } = setUp(ask, look(10), { input: { history, turn: 21 } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done.", last: { step: 5 } });
    expect(summaries).toHaveLength(1);
    expect(summaries[0]?.tools).toEqual([]);
    expect(JSON.stringify(summaries[0]?.messages)).toContain("Question 8.");
    const [summary] = records;
    expect(summary).toMatchObject({ part: "summary", step: 1, usage: { outputTokens: 10 } });
    const memory = summary?.part === "summary" ? readMemory(summary.text) : undefined;
    expect(memory?.summary).toBe("Summary 1.");
    expect(memory?.inputs.map((text) => text.slice(0, 12))).toContain("Question 1. ");
    const covered = summary?.part === "summary" ? summary.throughTurn : 0;
    expect(covered).toBeGreaterThan(10);
    expect(covered).toBeLessThan(20);
    const [first, second] = requests[0]?.messages ?? [];
    expect(first).toMatchObject({ note: true, text: expect.stringContaining("Summary 1.") });
    expect(second).toMatchObject({ role: "user", text: expect.stringContaining(`Question ${covered + 1}.`) });
    expect(requests.at(-1)?.messages).toContainEqual({ role: "user", text: "And now?" });
  });

  it("is summarized within one turn when its steps fill the window", async () => {
    const long = talking(40);
    const { input, ports, records } = setUp(long.ask, look(10));
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
    expect(records.filter(({ part }) => part === "summary").length).toBeGreaterThan(1);
    expect(long.requests.at(-1)?.messages).toContainEqual({ role: "user", text: "Go." });
  });

  it("resumes at each entry around a summary with the same next request", async () => {
    const whole = talking(14);
    const first = setUp(whole.ask, look(10));
    await runTurn(first.input, first.ports);
    const at = first.records.findIndex(({ part }) => part === "summary");
    expect(at).toBeGreaterThan(0);
    const answersBefore = first.records.slice(0, at).filter(({ part }) => part === "answer").length;
    for (const kept of [at, at + 1]) {
      const after = talking(0);
      const again = setUp(after.ask, look(10), { input: { journal: first.records.slice(0, kept) } });
      await runTurn(again.input, again.ports);
      expect(after.requests[0]?.messages).toEqual(whole.requests[answersBefore]?.messages);
    }
  });

  it("continues without a summary when the provider rejects the call", async () => {
    const { ask, requests } = model(0);
    const stubborn: Model = async (request) =>
      request.instructions.startsWith("You summarize")
        ? { failure: { category: "model_refused", title: "No.", remedy: "", retryable: false } }
        : ask(request);
    const history: Message[] = Array.from({ length: 20 }, (): Message[] => [
      { role: "user", text: "q".repeat(2_000) },
      { role: "assistant", answer: { text: "a".repeat(1_000), toolCalls: [] } },
    ]).flat();
    history.push({ role: "user", text: "And now?" });
    const { input, ports } = setUp(stubborn, look(10), { input: { history, turn: 21 } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
    expect(requests[0]?.messages[0]).toMatchObject({
      note: true,
      text: expect.stringContaining("Summary unavailable"),
    });
  });
});

describe("a conversation that the provider rejects as too long, despite a larger configured window", () => {
  const wide = { contextTokens: 1_000_000 };

  it.each([true, false])(
    "is truncated until it fits, and stays within the smaller window (token usage reported: %s)",
    async (counts) => {
      const { ask, requests, refusals } = model(30, { counts });
      const { input, ports } = setUp(ask, look(6_000), { input: wide });
      expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
      expect(requests).toHaveLength(31);
      expect(refusals.length).toBeGreaterThan(0);
      expect(refusals.length).toBeLessThan(4);
    },
  );

  it("is summarized when its texts fill the window", async () => {
    const long = talking(40);
    const { input, ports, records } = setUp(long.ask, look(10), { input: wide });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
    expect(records.filter(({ part }) => part === "summary").length).toBeGreaterThan(1);
    expect(long.refusals.length).toBeLessThan(4);
  });

  it("is truncated for the final answer at a limit, too", async () => {
    const { ask, requests, refusals } = model(30);
    const narrow: Model = (request) =>
      ask(request.tools.length > 0 ? request : { ...request, instructions: "x".repeat(9_000) });
    const { input, ports } = setUp(narrow, look(6_000), {
      input: { ...wide, limits: { steps: 9, tokens: 1_000_000, seconds: 600 } },
    });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done.", finishReason: "steps" });
    expect(requests).toHaveLength(10);
    expect(refusals).toHaveLength(1);
  });

  it("fails when no further compaction is possible", async () => {
    const { ask, refusals } = model(3);
    const history: Message[] = [{ role: "user", text: "q".repeat(90_000) }];
    const { input, ports } = setUp(ask, look(10), { input: { ...wide, history } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "failed", failure: { category: "model_refused" } });
    expect(refusals).toHaveLength(1);
    const later = talking(3);
    const full = "x".repeat(90_000);
    const small: Model = (request) =>
      later.requests.length > 0 ? ask({ ...request, instructions: full }) : later.ask(request);
    const again = setUp(small, look(6_000), { input: wide });
    expect(await runTurn(again.input, again.ports)).toMatchObject({ kind: "failed" });
    expect(refusals.length).toBeLessThan(8);
  });
});
