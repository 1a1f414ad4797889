import type { Call, ToolTotal } from "./run-model-types.ts";

/** Adds an ended call to the totals of its tool. */
export function addToolResult(tools: Map<string, ToolTotal>, call: Call): void {
  const total = tools.get(call.name) ?? {
    name: call.name,
    calls: 0,
    failed: 0,
    milliseconds: 0,
    slowest: 0,
    durations: [],
    first: call,
  };
  tools.set(call.name, total);
  total.calls++;
  if (call.failed) total.failed++;
  if (call.milliseconds === undefined) return;
  total.milliseconds += call.milliseconds;
  total.slowest = Math.max(total.slowest, call.milliseconds);
  total.durations.push(call.milliseconds);
}

/** The median duration in milliseconds. Undefined: none is recorded. */
export function median({ durations }: ToolTotal): number | undefined {
  const sorted = durations.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined || sorted.length % 2 === 1) return upper;
  return (upper + (sorted[middle - 1] ?? upper)) / 2;
}
