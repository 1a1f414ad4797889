import { expect, test } from "vitest";
import { runStatuses, transitions } from "../../../src/runs/status.ts";

const expected: Record<string, string[]> = {
  none: ["running", "finished", "technical_error"],
  running: ["running", "finished", "technical_error", "terminated"],
  finished: ["running", "terminated"],
  technical_error: ["running", "finished", "technical_error", "terminated"],
  terminated: [],
};

test("each pair of statuses has the expected transition", () => {
  const { turnAsks, turnAnswered, forkStarted, ...others } = transitions; // a running turn continues after a wait
  const moves = Object.values(others).map(({ from, to }) => `${from} → ${to}`);
  expect(new Set(moves).size).toBe(moves.length);
  expect([turnAsks, turnAnswered]).toEqual([others.nextInputAccepted, others.nextInputAccepted]);
  expect(forkStarted).toEqual(others.turnRetried); // both continue a record
  const pairs = ["none", ...runStatuses].flatMap((from) => runStatuses.map((to) => ({ from, to })));
  for (const { from, to } of pairs) {
    const move = `${from} → ${to}`;
    expect({ move, allowed: moves.includes(move) }).toEqual({ move, allowed: expected[from]?.includes(to) });
  }
});
