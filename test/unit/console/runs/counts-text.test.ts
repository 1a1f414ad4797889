import { expect, test } from "vitest";
import { countText, shownText } from "../../../../console/runs/counts-text.ts";

const none = { running: 0, waiting: 0, finished: 0, waiting_for_input: 0, technical_error: 0, terminated: 0 };
const some = { ...none, finished: 1_230, technical_error: 28 };

test("counts of all runs are exact, and the foot counts what the chosen tab counts", () => {
  const counts = { ...some, complete: true };
  expect(countText(counts, undefined, false)).toBe("1,258");
  expect(countText(counts, "running", true)).toBe("0");
  expect(shownText(50, counts, undefined, false)).toBe("50 of 1,258 shown");
  expect(shownText(28, counts, "technical_error", false)).toBe("28 of 28 shown");
});

test("counts of the newest runs are at least that much, and none is not 0", () => {
  const counts = { ...none, finished: 990, technical_error: 10, complete: false };
  expect(countText(counts, undefined, false)).toBe("1,000+");
  expect(countText(counts, "technical_error", false)).toBe("10+");
  expect(countText(counts, "running", false)).toBe("…");
  expect(shownText(50, counts, undefined, false)).toBe("50 of 1,000+ shown");
});

test("a search that was cut short has no counts, so none contradicts the rows", () => {
  const counts = { ...none, complete: false };
  expect(countText(counts, undefined, true)).toBe("…");
  expect(countText({ ...counts, finished: 1 }, "finished", true)).toBe("…");
  expect(shownText(1, counts, undefined, true)).toBe("1 shown");
  expect(shownText(1, { ...counts, finished: 1 }, undefined, true)).toBe("1 shown");
});

test("before the runs are counted, no number is shown", () => {
  expect(countText(undefined, undefined, false)).toBe("");
  expect(shownText(3, undefined, undefined, false)).toBe("3 shown");
});
