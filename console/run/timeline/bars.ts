import type { TimeMap } from "../model/time-map.ts";
import type { Call, Step } from "../model/run-model-types.ts";
import { begunAt, waitOf } from "../model/waiting.ts";
import type { Range } from "./axis.ts";

/** `unanswered`: the attempt of a model call with which the turn failed. */
export type BarKind = "model" | "unanswered" | "tool" | "failed" | "wait";

/** A bar of the lane or the minimap. `left`, `width`: fractions of the range. `call`: index of the tool call. */
export interface Bar {
  kind: BarKind;
  left: number;
  width: number;
  call?: number;
}

/** The bars of a step: its waits, its model call, its tool calls. `now`: the end of what still runs. */
export function barsOf(step: Step, time: TimeMap, range: Range, now: number): Bar[] {
  const place = (kind: BarKind, from: number, until: number): Bar => {
    const length = Math.max(1, range.until - range.from);
    const left = (time.place(from) - range.from) / length;
    return { kind, left, width: (time.place(until) - range.from) / length - left };
  };
  const bars: Bar[] = [];
  for (const { startedAt, endedAt, resumedAt, last } of step.attempts) {
    if (startedAt === undefined) continue;
    if (last) bars.push(place("unanswered", startedAt, endedAt ?? startedAt));
    else bars.push(place("wait", startedAt, resumedAt ?? Math.max(endedAt ?? startedAt, step.answered ? 0 : now)));
  }
  const endedAt = step.endedAt ?? (step.answered ? undefined : now);
  if (step.startedAt !== undefined && endedAt !== undefined) bars.push(place("model", step.startedAt, endedAt));
  const wait = waitOf(step);
  if (wait) bars.push(place("wait", wait.from, wait.until ?? wait.from));
  for (const call of step.calls) {
    const [from, until] = timesOf(call, step, now);
    if (from !== undefined) bars.push({ ...place(call.failed ? "failed" : "tool", from, until), call: call.index });
  }
  return bars;
}

/** Start and end of a call. A call without result has run since it began. */
function timesOf(call: Call, step: Step, now: number): [from: number | undefined, until: number] {
  if (call.endedAt !== undefined) return [call.startedAt ?? call.endedAt, call.endedAt];
  const from = begunAt(call, step);
  return [call.result ? undefined : from, Math.max(now, from ?? 0)];
}
