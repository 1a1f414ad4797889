import { expect, test } from "vitest";
import { openCounts } from "../../src/http/open-counts.ts";

test("each owner may have as many open as the limit, and again when one is closed", () => {
  const streams = openCounts(2);
  const first = streams.open("a");
  expect(streams.open("a")).toBeDefined();
  expect(streams.open("a")).toBeUndefined();
  expect(streams.open("b")).toBeDefined();
  expect([streams.count("a"), streams.count("b"), streams.count("c")]).toEqual([2, 1, 0]);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose](); // counts once
  expect(streams.count("a")).toBe(1);
  expect(streams.open("a")).toBeDefined();
  expect(streams.open("a")).toBeUndefined();
});
