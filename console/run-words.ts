import type { Run } from "./api/types.ts";

/** What a run does that waits because of the quota. */
export const waitsForSlot = "Waits for a slot (maxRunning)";

/** Reasons for the end of a turn that are no limit of the agent. */
const otherReasons = new Set<string>(["completed", "answer_length", "answer_filtered"]);

/** Whether the last turn ended at a limit. */
export function endedAtLimit({ status, finish_reason: reason }: Pick<Run, "status" | "finish_reason">): boolean {
  return status === "finished" && reason !== null && !otherReasons.has(reason);
}

/** Who created a run: `key nightly`, `MCP, nightly`, `mira`. */
export function starterText({ kind, name }: Pick<NonNullable<Run["started_by"]>, "kind" | "name">): string {
  if (kind === "operator") return name;
  return kind === "mcp" ? `MCP, ${name}` : `key ${name}`;
}
