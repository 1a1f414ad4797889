import { expect, test } from "vitest";
import { runStatuses, transitions } from "../../../src/runs/status.ts";

const expected: Record<string, string[]> = {
  none: ["running", "finished"],
  running: ["running", "finished", "technical_error", "terminated"],
  finished: ["running", "terminated"],
  technical_error: ["running", "terminated"],
  terminated: [],
};

test("each pair of statuses has the expected transition", () => {
  const { turnAsks, turnAnswered, ...others } = transitions; // a running turn continues after a wait
  const moves = Object.values(others).map(({ from, to }) => `${from} → ${to}`);
  expect(new Set(moves).size).toBe(moves.length);
  expect([turnAsks, turnAnswered]).toEqual([others.nextInputAccepted, others.nextInputAccepted]);
  const pairs = ["none", ...runStatuses].flatMap((from) => runStatuses.map((to) => ({ from, to })));
  for (const { from, to } of pairs) {
    const move = `${from} → ${to}`;
    expect({ move, allowed: moves.includes(move) }).toEqual({ move, allowed: expected[from]?.includes(to) });
  }
});
