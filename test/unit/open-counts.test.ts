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

test("all owners together may have as many open as their limit", () => {
  const streams = openCounts(2, 3);
  const held = [streams.open("a"), streams.open("a"), streams.open("b")];
  expect([streams.exceeded("a"), streams.exceeded("b"), streams.exceeded("c")]).toEqual([2, 3, 3]);
  expect(streams.open("c")).toBeUndefined();
  held[0]?.[Symbol.dispose]();
  expect(streams.exceeded("c")).toBeUndefined();
  expect(streams.open("c")).toBeDefined();
});
