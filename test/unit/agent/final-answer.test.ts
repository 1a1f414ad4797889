import { describe, expect, it, vi } from "vitest";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import type { Failure, Message, Model } from "../../../src/agent/model.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, call, endless, scripted, turn } from "./scripted.ts";

const outage: Failure = { category: "model_unavailable", title: "Down.", remedy: "Wait.", retryable: true };
const wrongKey: Failure = { category: "model_configuration", title: "Key.", remedy: "Fix it.", retryable: false };

const hanging: Model = ({ tools }) => (tools.length > 0 ? new Promise(() => {}) : Promise.resolve(answer("Cut.")));
const noSummary: Model = ({ instructions }) =>
  instructions.startsWith("You summarize") ? new Promise(() => {}) : Promise.resolve(answer("Cut."));

describe("at a limit", () => {
  it.each([
    ["steps", { steps: 3, tokens: 1000, seconds: 600 }, 6],
    ["tokens", { steps: 100, tokens: 30, seconds: 600 }, 4],
  ] as const)(
    "%s: calls the model once more, without tools, and outputs its text",
    async (reason, limits, recorded) => {
      const { input, ports, records, events } = turn(endless(answer("What I have.")), { input: { limits } });
      const outcome = await runTurn(input, ports);
      expect(outcome).toMatchObject({
        kind: "done",
        text: "What I have.",
        finishReason: reason,
        last: { ended: reason },
      });
      expect(records).toHaveLength(recorded);
      expect(events).toContainEqual({ type: "limit-reached", reason, of: "turn", step: recorded / 2 + 1 });
      expect(outcome).toMatchObject({
        last: { note: expect.stringContaining(`limit of ${limits[reason]} ${reason}`) },
      });
    },
  );

  it("seconds: counts from the accepted input, across resumes", async () => {
    const { input, ports } = turn(endless(answer("Late.")), { ports: { now: () => 600_000 } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Late.", finishReason: "seconds" });
  });

  it("seconds: aborts a model call and a tool that ignore their signals", async () => {
    vi.useFakeTimers();
    try {
      const slowModel = turn(hanging, { ports: { now: () => Date.now() }, input: { startedAt: Date.now() } });
      const outcome = runTurn(slowModel.input, slowModel.ports);
      await vi.advanceTimersByTimeAsync(601_000);
      expect(await outcome).toMatchObject({ kind: "done", text: "Cut.", finishReason: "seconds" });

      const stuck: Tool = {
        definition: { name: "stuck", description: "", input: {} },
        run: () => new Promise(() => {}),
      };
      const { model } = scripted([answer("", [call("1", "stuck", {})]), answer("Cut.")]);
      const slowTool = turn(model, {
        ports: { now: () => Date.now(), tools: [stuck] },
        input: { startedAt: Date.now() },
      });
      const second = runTurn(slowTool.input, slowTool.ports);
      await vi.advanceTimersByTimeAsync(601_000);
      expect(await second).toMatchObject({ kind: "done", text: "Cut.", finishReason: "seconds" });
      expect(slowTool.records[1]).toMatchObject({
        result: { error: true, text: expect.stringContaining("600 seconds") },
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps the reached limit when summarizing takes too long", async () => {
    vi.useFakeTimers();
    try {
      const history: Message[] = Array.from({ length: 20 }, (): Message[] => [
        { role: "user", text: "q".repeat(2_000) },
        { role: "assistant", answer: { text: "a".repeat(2_000), toolCalls: [] } },
      ]).flat();
      const { input, ports } = turn(noSummary, {
        ports: { now: () => Date.now() },
        input: {
          history: [...history, { role: "user", text: "And now?" }],
          contextTokens: 20_000,
          startedAt: Date.now(),
          runLimits: { steps: 7 },
          usedBefore: { ...noUsage, steps: 7 },
        },
      });
      const outcome = runTurn(input, ports);
      await vi.advanceTimersByTimeAsync(121_000);
      expect(await outcome).toMatchObject({ kind: "done", text: "Cut.", finishReason: "run_steps" });
    } finally {
      vi.useRealTimers();
    }
  });

  it("ignores tool calls in the final answer, and drops the original message", async () => {
    const last = answer("Text.", [call("x", "list_files", {})], {
      echo: { origin: "p m", messages: [{ role: "assistant", content: [{ type: "reasoning", text: "Hm." }] }] },
      reasoning: { milliseconds: 400 },
    });
    const { input, ports } = turn(endless(last), { input: { limits: { steps: 1, tokens: 1000, seconds: 600 } } });
    const outcome = await runTurn(input, ports);
    expect(outcome).toMatchObject({ kind: "done", text: "Text.", last: { answer: { toolCalls: [] } } });
    expect(JSON.stringify(outcome)).not.toContain("echo");
    expect(outcome).toMatchObject({ last: { answer: { reasoning: { text: "Hm.", milliseconds: 400 } } } });
  });

  it.each([
    ["the answer is empty", answer(""), "failed", false],
    ["the call fails", { failure: wrongKey }, "failed", false],
    ["the call fails with a retryable error", { failure: outage, retryAfterMs: 5 }, "retry", true],
  ] as const)("fails with the category limit when %s", async (_, last, kind, retryable) => {
    const { input, ports } = turn(endless(last), { input: { limits: { steps: 1, tokens: 1000, seconds: 600 } } });
    expect(await runTurn(input, ports)).toMatchObject({ kind, failure: { category: "limit", retryable } });
  });
});
