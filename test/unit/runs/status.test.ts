import { expect, test } from "vitest";
import { runStatuses, transitions } from "../../../src/runs/status.ts";

const expected: Record<string, string[]> = {
  none: ["running", "finished"],
  running: ["running", "finished", "technical_error", "terminated"],
  finished: ["running", "terminated"],
  technical_error: ["terminated"],
  terminated: [],
};

test("each pair of statuses has the expected transition", () => {
  const moves = Object.values(transitions).map(({ from, to }) => `${from} → ${to}`);
  expect(new Set(moves).size).toBe(moves.length);
  const pairs = ["none", ...runStatuses].flatMap((from) => runStatuses.map((to) => ({ from, to })));
  for (const { from, to } of pairs) {
    const move = `${from} → ${to}`;
    expect({ move, allowed: moves.includes(move) }).toEqual({ move, allowed: expected[from]?.includes(to) });
  }
});
