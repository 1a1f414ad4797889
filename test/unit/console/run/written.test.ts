import { expect, test } from "vitest";
import { blocksOf } from "../../../../console/run/timeline/rows/text-blocks.ts";
import { addWritten, completeText, type Written } from "../../../../console/run/written.ts";

const part = (from: number, text: string, step = 1) => ({ turn: 1, step, from, text });
const joined = (parts: ReturnType<typeof part>[]): Written | undefined =>
  parts.reduce<Written | undefined>((before, each) => addWritten(before, "text", each), undefined);

test.each([
  ["the next parts", [part(0, "Once"), part(4, " upon"), part(9, " a time")], { from: 0, text: "Once upon a time" }],
  ["a text that begins again", [part(0, "First"), part(0, "Again")], { from: 0, text: "Again" }],
  ["a part that replaces the end", [part(0, "Once upon"), part(5, "more")], { from: 0, text: "Once more" }],
  ["a part behind a gap", [part(0, "Once"), part(100, "the end"), part(107, ".")], { from: 100, text: "the end." }],
  ["another step", [part(0, "One"), part(3, "two", 2)], { from: 3, text: "two" }],
  ["a reader that comes late", [part(50, "late"), part(54, "r")], { from: 50, text: "later" }],
])("joins %s", (_, parts, expected) => {
  expect(joined(parts)?.text).toEqual(expected);
});

test("thinking and text are joined apart, and another step has neither", () => {
  const thinking = addWritten(undefined, "thinking", part(0, "Hm"));
  const both = addWritten(addWritten(thinking, "text", part(0, "Yes")), "thinking", part(2, "."));
  expect(both).toEqual({ turn: 1, step: 1, thinking: { from: 0, text: "Hm." }, text: { from: 0, text: "Yes" } });
  expect(addWritten(both, "thinking", part(0, "So", 2))).toEqual({
    turn: 1,
    step: 2,
    thinking: { from: 0, text: "So" },
  });
});

test.each([
  ["a cut text", { text: "Once", length: 9 }, { from: 0, text: "Once upon" }, "Once upon"],
  ["no other text", { text: "Once", length: 9 }, { from: 0, text: "Twice, so" }, "Once"],
  ["no text without its end", { text: "Once", length: 12 }, { from: 0, text: "Once upon" }, "Once"],
  ["nothing", { text: "Once", length: 4 }, undefined, "Once"],
])("completes %s with what was received", (_, recorded, received, expected) => {
  completeText(recorded, received);
  expect(recorded.text).toBe(expected);
});

test("blocks of a text are whole lines, and stay as they are while the text grows", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `This is line ${index}.\n`);
  const text = lines.join("");
  const blocks = blocksOf(text);
  expect(blocks.join("")).toBe(text);
  expect(blocks.length).toBeGreaterThan(1);
  for (const block of blocks) expect(block.endsWith("\n")).toBe(true);
  for (let count = 1; count < lines.length; count++) {
    const complete = blocksOf(lines.slice(0, count).join("")).slice(0, -1);
    expect(blocks.slice(0, complete.length)).toEqual(complete);
  }
});

test("a text without line breaks is one block, and no text is none", () => {
  expect(blocksOf("a".repeat(10_000))).toEqual(["a".repeat(10_000)]);
  expect(blocksOf("")).toEqual([]);
});
