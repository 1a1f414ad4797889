import type { Call, Step, Turn } from "./run-model-types.ts";

/** When calls of a step began to wait for answers, and when all had one. `until` absent: some wait, or the run ended before. */
export function waitOf({ calls }: Pick<Step, "calls">): { from: number; until?: number } | undefined {
  const asked = calls.flatMap((call) => (call.asked?.at === undefined ? [] : [call.asked]));
  if (asked.length === 0) return undefined;
  const from = Math.min(...asked.map(({ at = 0 }) => at));
  const ends = asked.map(({ answer }) => answer?.at ?? Infinity);
  const until = Math.max(...ends);
  return until === Infinity ? { from } : { from, until };
}

/** Milliseconds that a step waited for answers. No process worked meanwhile, so they count as no working time. */
export function waitedMs(step: Pick<Step, "calls">): number {
  const wait = waitOf(step);
  return wait?.until === undefined ? 0 : Math.max(0, wait.until - wait.from);
}

/** When a call without a recorded start began: with the model's answer, or when it was allowed. Undefined: it waits. */
export function begunAt({ startedAt, asked }: Call, step: Step): number | undefined {
  return startedAt ?? (asked ? waitOf(step)?.until : step.endedAt);
}

/** Milliseconds that a turn worked until its last event. */
export function workedMs({ startedAt, forkedAt, endedAt, steps }: Turn): number | undefined {
  const from = forkedAt ?? startedAt;
  if (from === undefined || endedAt === undefined) return undefined;
  const own = steps.filter((step) => (waitOf(step)?.from ?? 0) >= from);
  return own.reduce((left, step) => left - waitedMs(step), endedAt - from);
}
