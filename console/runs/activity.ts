import type { Run } from "../api/types.ts";
import { waitsForSlot } from "../run-words.ts";

/** What a running run does now, in words. `now`: milliseconds since 1970. */
export function activityText({ state, activity }: Run, now: number): string {
  if (state === "waiting_for_slot") return waitsForSlot;
  if (state === "waiting") return "Tool calls wait for answers";
  if (!activity || activity.kind === "starting") return "Starting";
  const { kind, step, tools, until } = activity;
  if (kind === "retry_wait") {
    const seconds = until === null ? 0 : Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
    return `Next try in ${seconds} s`;
  }
  return `Step ${step}: ${kind === "tool_calls" ? toolNames(tools) : "waiting for the model"}`;
}

/** `read_file × 3, run_javascript`. */
function toolNames(tools: string[]): string {
  const counts = new Map<string, number>();
  for (const name of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} × ${count}` : name)).join(", ");
}

/** How long a run has worked in all its turns, in milliseconds. Undefined: it has not worked yet, or it is unknown. */
export function workedMs(
  { status, state, turn, usage, created_at: created, updated_at: since }: Run,
  now: number,
): number | undefined {
  if (turn === 0) return undefined;
  if (state === "waiting" && usage.milliseconds === 0) return undefined; // the time of the turn so far is not reported
  // The usage has no time of a turn that was stopped.
  if (status === "terminated" && usage.milliseconds === 0) {
    return turn === 1 ? Date.parse(since) - Date.parse(created) : undefined;
  }
  return usage.milliseconds + (status === "running" && state !== "waiting" ? Math.max(0, now - Date.parse(since)) : 0);
}
