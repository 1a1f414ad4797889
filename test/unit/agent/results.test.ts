import { describe, expect, it } from "vitest";
import { checkResult } from "../../../src/results/check-result.ts";
import type { CheckResult } from "../../../src/results/result-types.ts";
import type { Message, Model, ModelOutcome } from "../../../src/agent/model.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, call, endless, scripted, turn } from "./scripted.ts";

const resultSchema = {
  type: "object",
  properties: { total: { type: "number" }, currency: { enum: ["EUR", "USD"] } },
  required: ["total"],
};
const tooSlow: CheckResult = async () => ({ unchecked: "the check took more than 5 seconds" });
const inProcess: CheckResult = async (schema, text) => ({ problems: await checkResult(schema, text) });

async function play(outcomes: ModelOutcome[], { checked = inProcess, input = {} } = {}) {
  const { model, requests } = scripted(outcomes);
  const turned = turn(model, { input: { resultSchema, ...input }, ports: { checkResult: checked } });
  return { outcome: await runTurn(turned.input, turned.ports), requests, ...turned };
}

describe("a turn with a schema for its result", () => {
  it("ends with the JSON text when it fits, after tools", async () => {
    const { outcome, requests } = await play([
      answer("", [call("1", "list_files", {})]),
      answer(' {"total": 12.50, "id": 12345678901234567890}\n'),
    ]);
    expect(outcome).toMatchObject({
      kind: "done",
      text: '{"total": 12.50, "id": 12345678901234567890}',
      finishReason: "completed",
      last: { checked: {} },
    });
    expect(requests.map((request) => request.result)).toEqual([resultSchema, resultSchema]);
  });

  it("accepts JSON in a fenced block", async () => {
    const { outcome } = await play([answer('```json\n{"total": 1}\n```')]);
    expect(outcome).toMatchObject({ text: '{"total": 1}', last: { checked: {} } });
  });

  it("asks once for a correction, with place, expected and received", async () => {
    const { outcome, requests, records } = await play([
      answer('{"total": "12", "currency": "GBP"}'),
      answer('{"total": 12}'),
    ]);
    expect(outcome).toMatchObject({ kind: "done", text: '{"total": 12}', last: { step: 2, checked: {} } });
    expect(records).toMatchObject([{ part: "answer", checked: { problems: [{ place: "/total" }, {}] } }]);
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: "user",
      note: true,
      text: [
        "Your result does not fit its schema:",
        '- /total: expected number, received "12"',
        '- /currency: expected one of "EUR", "USD", received "GBP"',
        "Send the whole result again, corrected.",
      ].join("\n"),
    });
  });

  it("asks for the correction in one step, also if the model uses tools for it", async () => {
    const { outcome, requests } = await play([
      answer("It is 12."),
      answer("", [call("1", "list_files", {})]),
      answer('{"total": 12}'),
    ]);
    expect(outcome).toMatchObject({ text: '{"total": 12}', last: { checked: {} } });
    const notes = requests
      .at(-1)
      ?.messages.filter((message) => message.role === "user" && /does not fit/.test(message.text));
    expect(notes).toHaveLength(1);
  });

  it.each([200, 9_000, 60_000])(
    "asks for the correction when the conversation is compacted right after %i characters that do not fit",
    async (length) => {
      const history: Message[] = Array.from({ length: 12 }, (_, n): Message[] => [
        { role: "user", text: `Question ${n}. ${"q".repeat(1_000)}` },
        { role: "assistant", answer: { text: "a".repeat(1_000), toolCalls: [] } },
      ]).flat();
      history.push({ role: "user", text: "Go." });
      const usage = { inputTokens: 19_000, outputTokens: 100 };
      const outcomes = [answer("x".repeat(length), [], { usage }), answer("A summary."), answer('{"total": 12}')];
      const requests: string[] = [];
      const model: Model = async ({ messages }) => {
        requests.push(JSON.stringify(messages));
        return outcomes[requests.length - 1] ?? answer("");
      };
      const { input, ports, records } = turn(model, {
        input: { resultSchema, history, turn: 13, contextTokens: 20_000 },
        ports: { checkResult: inProcess },
      });
      expect(await runTurn(input, ports)).toMatchObject({ text: '{"total": 12}', last: { checked: {} } });
      expect(records.map(({ part }) => part)).toEqual(["answer", "summary"]);
      expect(requests.at(-1)).toContain("Your result does not fit its schema");
    },
  );

  it("resumes with the correction after a crash", async () => {
    const first = await play([answer("It is 12."), answer('{"total": 1}')]);
    const { model, requests } = scripted([answer("never"), answer('{"total": 2}')]);
    const again = turn(model, {
      input: { resultSchema, journal: first.records },
      ports: { checkResult: inProcess },
    });
    expect(await runTurn(again.input, again.ports)).toMatchObject({ text: '{"total": 2}', last: { checked: {} } });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.messages.at(-1)).toMatchObject({ text: expect.stringContaining("JSON without any text") });
  });

  it("checks the final answer at a limit, without a correction", async () => {
    const limits = { steps: 1, tokens: 1_000, seconds: 600 };
    const end = async (text: string) => {
      const turned = turn(endless(answer(text)), {
        input: { resultSchema, limits },
        ports: { checkResult: inProcess },
      });
      return runTurn(turned.input, turned.ports);
    };
    expect(await end('{"total": 3}')).toMatchObject({ kind: "done", finishReason: "steps", last: { checked: {} } });
    expect(await end("I ran out of steps.")).toMatchObject({
      kind: "done",
      text: "I ran out of steps.",
      last: { ended: "steps", checked: { problems: [{ expected: "JSON without any text around it" }] } },
    });
  });

  it("corrects a result that the limit of steps would end, with the final answer", async () => {
    const limits = { steps: 1, tokens: 1_000, seconds: 600 };
    const { outcome, requests } = await play([answer("12"), answer('{"total": 12}')], { input: { limits } });
    expect(outcome).toMatchObject({ text: '{"total": 12}', finishReason: "steps", last: { checked: {} } });
    const note = requests[1]?.messages.at(-1);
    expect(note).toMatchObject({ text: expect.stringMatching(/limit of 1 steps?.*expected object, received 12/s) });
  });

  it("does not ask again for an answer that was cut", async () => {
    const { outcome, requests } = await play([answer('{"total": 1', [], { finishReason: "length" })]);
    expect(outcome).toMatchObject({
      kind: "done",
      finishReason: "answer_length",
      last: { checked: { problems: [{ received: "one that was cut at the maximum number of output tokens" }] } },
    });
    expect(requests).toHaveLength(1);
  });

  it("says that a result could not be checked", async () => {
    const { outcome, requests } = await play([answer('{"total": 1}')], { checked: tooSlow });
    expect(outcome).toMatchObject({
      kind: "done",
      text: '{"total": 1}',
      last: { checked: { problems: [{ received: "one that could not be: the check took more than 5 seconds" }] } },
    });
    expect(requests).toHaveLength(1);
  });
});
