import { expect, test } from "vitest";
import { openCounts } from "../../src/http/open-counts.ts";

test("each owner may have as many open as the limit, and again when one is closed", () => {
  const streams = openCounts({ each: 2 });
  const first = streams.open(["a"]);
  expect(streams.open(["a"])).toBeDefined();
  expect(streams.open(["a"])).toBeUndefined();
  expect(streams.open(["b"])).toBeDefined();
  expect([streams.count("a"), streams.count("b"), streams.count("c")]).toEqual([2, 1, 0]);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose](); // counts once
  expect(streams.count("a")).toBe(1);
  expect(streams.open(["a"])).toBeDefined();
  expect(streams.open(["a"])).toBeUndefined();
});

test("the agents of an organization share its limit, and another organization has its own", () => {
  const streams = openCounts({ each: 2, larger: 3 });
  const held = ["a", "a", "b"].map((agent) => streams.open(["one", agent]));
  expect(held.every((each) => each !== undefined)).toBe(true);
  expect([streams.exceeded(["one", "a"]), streams.exceeded(["one", "c"])]).toEqual([2, 3]);
  expect([streams.count("one"), streams.exceeded(["other", "d"])]).toEqual([3, undefined]);
  held[2]?.[Symbol.dispose]();
  expect(streams.exceeded(["one", "c"])).toBeUndefined();
});

test("all owners together may have as many open as their limit", () => {
  const streams = openCounts({ each: 2, all: 3 });
  const held = [streams.open(["a"]), streams.open(["a"]), streams.open(["b"])];
  expect([streams.exceeded(["a"]), streams.exceeded(["b"]), streams.exceeded(["c"])]).toEqual([2, 3, 3]);
  expect(streams.open(["c"])).toBeUndefined();
  held[0]?.[Symbol.dispose]();
  expect(streams.exceeded(["c"])).toBeUndefined();
  expect(streams.open(["c"])).toBeDefined();
});
