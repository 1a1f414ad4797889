import { expect, test } from "vitest";
import { visible, visibleLine } from "../../../console/run/text/visible.ts";

test.each([
  ["\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
  ["a\0b\u0007\u007f", "a␀b␇␡"],
  ["one\r\ntwo\rthree", "one\ntwo␍three"],
  ["invoice\u202efdp.exe", "invoice⟨U+202E⟩fdp.exe"],
  ["zero\u200bwidth", "zero⟨U+200B⟩width"],
  ["👩‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥", "👩‍👩‍👧‍👦 👩🏽‍💻 ❤️‍🔥"], // one picture each
  ["می\u200cخواهم", "می\u200cخواهم"], // Persian: "I want"
  ["क्\u200dष", "क्\u200dष"], // Devanagari: a half letter
  ["pay\u200dpal 👍\u200d x\u200c", "pay⟨U+200D⟩pal 👍⟨U+200D⟩ x⟨U+200C⟩"],
  ["\u009b31m", "⟨U+009B⟩31m"],
  ["tab\tand é 漢字 👍", "tab\tand é 漢字 👍"],
])("%j", (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("a line has a bounded length", () => {
  expect(visibleLine("a\n  b\t c")).toBe("a b c");
  expect(visibleLine("x".repeat(1_000_000), 10)).toBe("xxxxxxxxx…");
});
