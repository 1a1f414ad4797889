import { expect, test } from "vitest";
import { runStatuses, transitions } from "../../../lambdas/runs/lifecycle.ts";

test("the lifecycle, pair by pair", () => {
  const allowed = Object.values(transitions).map(({ from, to }) => `${from} → ${to}`);
  expect(new Set(allowed).size).toBe(allowed.length);
  for (const from of ["none", ...runStatuses]) {
    for (const to of runStatuses) {
      const expected = {
        none: ["running", "finished"],
        running: ["finished", "technical_error", "terminated"],
        finished: ["running", "terminated"],
        technical_error: [],
        terminated: [],
      }[from];
      expect([`${from} → ${to}`, allowed.includes(`${from} → ${to}`)]).toEqual([
        `${from} → ${to}`,
        expected?.includes(to),
      ]);
    }
  }
});
