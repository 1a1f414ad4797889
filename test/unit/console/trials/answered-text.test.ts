import { expect, test } from "vitest";
import { answeredText } from "../../../../console/trials/answered-text.ts";

const answer = { text: "Done.", calls: [] };
const same = { candidate: answer, difference: null };
const other = { candidate: answer, difference: "The model answers another text." };
const open = { candidate: null, difference: null };

test.each([
  [[same, same], "all are the same"],
  [[same, other, other], "2 of 3 steps differ"],
  [[other], "1 of 1 step differs"],
  [[same, open, open, open, open], "1 of 5 steps answered, no differences"],
  [[same, other, open], "2 of 3 steps answered, 1 differs"],
  [[other, other, open], "2 of 3 steps answered, 2 differ"],
])("of %j, the page says %j", (steps, text) => {
  expect(answeredText(steps, true)).toBe(text);
  expect(answeredText(steps, false)).toBe(text);
});

test("nothing is the same where nothing was answered", () => {
  expect(answeredText([open, open], false)).toBe("none answered yet");
  expect(answeredText([open, open], true)).toBe("none answered");
});
