import { ServiceError } from "../../errors.ts";
import type { RunPoint } from "../../runs/read-files.ts";

/** A point of a run as `TURN.STEP`. */
export function pointOf(at: string): RunPoint {
  const [turn = 0, step = 0] = at.split(".").map(Number);
  return { turn, step };
}

/** Milliseconds since 1970. Date.parse takes February 30 for March 2. */
export function timeIn(parameter: string, text: string): number {
  const [milliseconds, day] = [Date.parse(text), Date.parse(text.slice(0, 10))];
  if (!Number.isNaN(milliseconds) && new Date(day).toISOString().startsWith(text.slice(0, 10))) return milliseconds;
  throw new ServiceError("invalid_argument", `${parameter} is ${JSON.stringify(text)}, which is not a date`);
}
