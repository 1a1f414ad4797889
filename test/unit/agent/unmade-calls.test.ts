import { describe, expect, it } from "vitest";
import type { ModelAnswer } from "../../../src/agent/model.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { callMarkups } from "../../../src/agent/turn/unmade-calls.ts";
import { answer, call, endless, scripted, turn } from "./scripted.ts";

const hermes = '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>';
const coder = "<tool_call>\n<function=list_files>\n</function>\n</tool_call>";

/** How a turn ends whose model gives these answers, in order, and what it was asked. */
async function ended(...texts: (string | Partial<ModelAnswer>)[]) {
  const { model, requests } = scripted(
    texts.map((each) => (typeof each === "string" ? answer(each) : answer("", [], each))),
  );
  const { input, ports, records } = turn(model);
  const outcome = await runTurn(input, ports);
  return { outcome, records, notes: requests.map(({ messages }) => messages.at(-1)) };
}

describe("an answer that is a tool call as text", () => {
  it.each([
    ...callMarkups.map(({ models, example }) => [models, example]),
    ["Qwen3-Coder, without the first tag", coder.replace("<tool_call>\n", "")],
    ["Hermes, with the name last", '<tool_call>{"arguments": {"a": "}"}, "name": "list_files"}</tool_call>'],
    ["Hermes, without the last tag", '<tool_call>{"name": "list_files", "arguments": {}}'],
    ["Hermes, twice", `${hermes}\n${hermes}<|im_end|>`],
    ["gpt-oss, without tokens", 'commentary to=functions.list_files json{"folder": "a"}'],
    ["gpt-oss, thinking first", "analysisI list them.assistantcommentary to=functions.list_files json{}"],
    [
      "gpt-oss, thinking between tokens",
      "<|channel|>analysis<|message|>I list.<|end|><|start|>assistant<|channel|>commentary to=functions.list_files " +
        "<|constrain|>json<|message|>{}<|call|>",
    ],
    ["gpt-oss, in the header", "<|start|>assistant to=functions.list_files<|channel|>commentary json<|message|>{}"],
    [
      "DeepSeek, with the type of the call",
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>list_files\n```json\n{}\n```<｜tool▁call▁end｜>" +
        "<｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
    ],
    [
      "DeepSeek V3.2",
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="list_files">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    ["Mistral, as JSON", '[TOOL_CALLS] [{"name": "list_files", "arguments": {}}]'],
  ])("of %s is no output: the model is told once, then the turn fails with the remedy", async (_, text) => {
    const better = await ended(text, "Done.");
    expect(better.outcome).toMatchObject({ kind: "done", text: "Done." });
    expect(better.notes[1]).toMatchObject({ note: true, text: expect.stringContaining("tool call written as text") });

    const { outcome, records } = await ended(text, text);
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: { category: "model_answer", retryable: false, remedy: expect.stringContaining("--tool-call-parser") },
      last: { unmade: "call_as_text" },
    });
    expect(records).toMatchObject([{ part: "answer", unmade: "call_as_text" }]);
  });

  it("is none when other text is with it, or when it calls no tool of the agent", async () => {
    for (const text of [
      `Qwen writes ${hermes}`,
      `${hermes}\nThis is how it is called.`,
      `\`\`\`\n${coder}\n\`\`\``,
      hermes.replace("list_files", "get_weather"),
      "commentary to=functions.list_files is the recipient.",
      '{"name": "list_files", "arguments": {}}',
    ]) {
      expect((await ended(text)).outcome).toMatchObject({ kind: "done", text });
    }
  });

  it("is none either when it is cut at the maximum length", async () => {
    const text = '<tool_call>\n{"name": "write_file", "arguments": {"name": "a", "content": "Half of';
    const { outcome } = await ended({ text, finishReason: "length" }, "Done.");
    expect(outcome).toMatchObject({ kind: "done", text: "Done.", finishReason: "completed" });
  });

  it("fails the final answer at a limit", async () => {
    const limits = { steps: 1, tokens: 1000, seconds: 600 };
    const { input, ports } = turn(endless(answer(hermes)), { input: { limits } });
    expect(await runTurn(input, ports)).toMatchObject({ kind: "failed", failure: { category: "limit" } });
  });

  it("is told again after a step with a tool call, and also when the turn is resumed", async () => {
    const look = answer("", [call("1", "list_files", {})]);
    const { model, requests } = scripted([answer(hermes), look, answer(coder), answer("Done.")]);
    const { input, ports, records } = turn(model);
    expect(await runTurn(input, ports)).toMatchObject({ kind: "done", text: "Done." });
    expect(requests).toHaveLength(4);

    const resumed = turn(scripted([answer(hermes), answer(coder)]).model, { input: { journal: records.slice(0, 1) } });
    expect(await runTurn(resumed.input, resumed.ports)).toMatchObject({ kind: "failed" });
  });
});

describe("an answer that stops for a tool call and has none", () => {
  it("is no output: the model is told once, then the turn fails with the remedy", async () => {
    const announced = { text: "I will read it.", finishReason: "tool-calls" } as const;
    const better = await ended(announced, "Done.");
    expect(better.outcome).toMatchObject({ kind: "done", text: "Done." });
    expect(better.notes[1]).toMatchObject({ note: true, text: expect.stringContaining("did not arrive") });
    for (const text of ["I will read it.", ""]) {
      const { outcome } = await ended(announced, { ...announced, text });
      expect(outcome).toMatchObject({
        kind: "failed",
        failure: { category: "model_answer", title: expect.stringContaining("sent none, twice") },
      });
    }
  });
});
