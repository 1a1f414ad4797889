import { expect, test } from "vitest";
import { blocksOf, JoinedText } from "../../../../console/run/timeline/joined-text.ts";

const part = (from: number, text: string, step = 1) => ({ turn: 1, step, from, text });

test("parts of a text are joined once each, in the order of arrival", () => {
  const joined = new JoinedText();
  const parts = [part(0, "Once")];
  expect(joined.of(parts)).toMatchObject({ from: 0, text: "Once" });
  const more = [...parts, part(4, " upon"), part(9, " a time")];
  expect(joined.of(more)).toMatchObject({ from: 0, text: "Once upon a time" });
  expect(joined.of(more)).toMatchObject({ text: "Once upon a time" });
});

test.each([
  ["a text that begins again", [part(0, "First"), part(0, "Again")], { from: 0, text: "Again" }],
  ["a part that replaces the end", [part(0, "Once upon"), part(5, "more")], { from: 0, text: "Once more" }],
  ["a part behind a gap", [part(0, "Once"), part(100, "the end"), part(107, ".")], { from: 100, text: "the end." }],
  ["another step", [part(0, "One"), part(3, "two", 2)], { from: 3, text: "two" }],
  ["a reader that comes late", [part(50, "late"), part(54, "r")], { from: 50, text: "later" }],
])("%s", (_, parts, expected) => {
  expect(new JoinedText().of(parts)).toMatchObject(expected);
});

test("parts of a new text after the old ones were dropped", () => {
  const joined = new JoinedText();
  joined.of([part(0, "Old")]);
  expect(joined.of([part(0, "New", 2)])).toMatchObject({ from: 0, text: "New" });
  expect(joined.of([])).toMatchObject({ text: "New" });
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
