import { expect, test } from "vitest";
import { tickByTick } from "../../src/async/tick-by-tick.ts";

test("an owner's piece waits for one piece of each other owner, and pieces of one owner are in order", async () => {
  const inTurn = tickByTick();
  const log: string[] = [];
  const add = (owner: string, piece: number) => inTurn([owner], () => log.push(`${owner}${piece}`));
  await Promise.all([1, 2, 3, 4].map((piece) => add("A", piece)).concat(add("B", 1), add("C", 1)));
  expect(log).toEqual(["A1", "B1", "C1", "A2", "A3", "A4"]);
});

test("other work of the event loop runs between two pieces", async () => {
  const inTurn = tickByTick();
  const log: string[] = [];
  const both = Promise.all(["A", "B"].map((owner) => inTurn([owner], () => log.push(owner))));
  setImmediate(() => log.push("other"));
  await both;
  expect(log).toEqual(["A", "other", "B"]);
});
