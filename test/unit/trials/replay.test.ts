import { describe, expect, test } from "vitest";
import { notedTools } from "../../../src/agent/turn/noted-tools.ts";
import { toolsNote } from "../../../src/agent/turn/tool-notes.ts";
import type { Run, RunJournalEntry } from "../../../src/runs/types.ts";
import { cannotReplay } from "../../../src/trials/replay/cannot-replay.ts";
import { firstDifference } from "../../../src/trials/replay/compare-requests.ts";

describe("the first difference of two requests", () => {
  test.each([
    [{ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }, "a.1.b"],
    [{ a: 1 }, { a: 1, b: null }, "b"],
    [{ a: [1] }, { a: [1, 2] }, "a.1"],
    [{ a: [] }, { a: {} }, "a"],
    ["x", "y", "."],
    [{ a: [1, null] }, { a: [1, null] }, undefined],
  ])("of %j and %j is at %s", (one, two, path) => expect(firstDifference(one, two)).toBe(path));
});

const tool = (name: string, more: object) => ({ definition: { name }, ...more });

test("a note of tools is read with its reasons, and written again as it was", () => {
  const tools = [
    tool("run_shell", { unavailable: "run_shell is not available. There is no Linux." }),
    tool("mail__list", { unavailable: "The server did not answer: 503." }),
    tool("run_python", { replaced: "It runs in WebAssembly." }),
  ];
  const note = `${toolsNote(tools)}\n\nFiles in the workspace:\na.txt (1 byte)`;
  expect(toolsNote(notedTools(note))).toBe(toolsNote(tools));
  expect(notedTools("Files in the workspace:\nrun_shell: x")).toEqual([]);
});

describe("a turn cannot be replayed", () => {
  const run = { id: "0190a5a0-0000-7000-8000-000000000000" } as Run;
  const answer: Extract<RunJournalEntry, { part: "answer" }> = {
    turn: 1,
    step: 1,
    part: "answer",
    answer: { text: "Done.", toolCalls: [], finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1 } },
  };
  const failed = { turn: 1, step: 1, part: "failed", attempt: 1, milliseconds: 1 } as const;
  const overloaded = { ...failed, failure: { category: "model_unavailable", title: "Overloaded." } } as const;
  const refused = { ...failed, failure: { category: "model_refused", title: "Too long." }, last: true } as const;
  const gaveUp = { category: "model_unavailable", title: "Overloaded." } as const;

  test.each<[string, RunJournalEntry[], RegExp]>([
    ["a part was copied", [{ turn: 1, step: 2, part: "forked", from: run.id }, answer], /copied from another run/],
    ["it was retried", [{ turn: 1, step: 1, part: "resumed", instance: "i", reason: "retry" }, answer], /was retried/],
    ["the fallback answered", [{ ...answer, fallback: { failure: gaveUp } }], /fallback answered/],
    ["an answer broke off", [{ ...overloaded, begun: true }, answer], /broke off/],
    ["a request was refused", [refused, answer], /refused a request/],
    ["it reached a limit of seconds", [{ ...answer, ended: "seconds" }], /limit of seconds/],
    ["it reached a limit of its run", [{ ...answer, ended: "run_tokens" }], /or of its run/],
  ])("if %s", (_, entries, reason) => expect(cannotReplay(run, entries)).toMatch(reason));

  test("and otherwise it can, after an overload or at a limit of steps, too", () => {
    expect(cannotReplay(run, [overloaded, { ...answer, ended: "steps" }])).toBeUndefined();
  });
});
