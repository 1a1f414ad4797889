import { setImmediate as nextTick } from "node:timers/promises";
import { expect, it } from "vitest";
import { requestTurns } from "../../../src/http/server/request-turns.ts";

/** Asks for turns of these owners at once. `now`: those that may begin at once. `order`: all, as they begin. */
async function turnsOf(owners: string, perTick: number): Promise<{ now: string; order: string }> {
  const turnOf = requestTurns(perTick);
  let order = "";
  const turns = [...owners].map((owner) => [owner, turnOf(() => owner)] as const);
  const now = turns.flatMap(([owner, turn]) => (turn ? [] : owner)).join("");
  await Promise.all(turns.map(async ([owner, turn]) => turn?.then(() => void (order += owner))));
  return { now, order: now + order };
}

it("requests begin at once while there are few", async () => {
  expect(await turnsOf("aab", 4)).toEqual({ now: "aab", order: "aab" });
});

it("of many requests, some begin at once and the others later", async () => {
  expect(await turnsOf("aaaaaaaaaa", 4)).toEqual({ now: "aaaa", order: "aaaaaaaaaa" });
});

it("a request of another owner waits for one of each before it", async () => {
  expect(await turnsOf("aaaaaaaabbbbc", 2)).toEqual({ now: "aa", order: "aaabcabababaa" });
});

it("a request that comes later begins at once when the others have begun", async () => {
  const turnOf = requestTurns(1);
  expect(turnOf(() => "a")).toBeUndefined();
  const second = turnOf(() => "a");
  expect(second).toBeDefined();
  await second;
  await nextTick();
  await nextTick();
  expect(turnOf(() => "b")).toBeUndefined();
});
