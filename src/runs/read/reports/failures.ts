import type { Failure } from "../../../agent/model.ts";
import type { Run } from "../../run-types.ts";
import type { Uses } from "../../ports.ts";
import { eachRun, type ReportQuery } from "../each-run.ts";

/** Runs that failed for the same reason. */
export interface FailureGroup extends Pick<Failure, "category" | "title" | "remedy"> {
  /** Of the newest run. Texts that differ in numbers and ids only are one group. */
  title: string;
  runs: number;
  agentIds: Set<string>;
  firstAt: number;
  /** The newest runs, newest first. */
  newest: Run[];
}

/** Runs that a group names. */
const maxNewest = 5;

/** Groups runs that now have the status `technical_error` by category and text, largest group first. `complete`: see `eachRun`. */
export async function failureGroups(
  deps: Uses<"accounts" | "runs" | "now">,
  query: ReportQuery,
): Promise<{ groups: FailureGroup[]; complete: boolean }> {
  const groups = new Map<string, FailureGroup>();
  const { complete } = await eachRun(deps, query, (run) => add(groups, run));
  const largestFirst = [...groups.values()].toSorted((a, b) => b.runs - a.runs || lastAt(b) - lastAt(a));
  return { groups: largestFirst, complete };
}

/** When the newest run of a group was created. */
export function lastAt({ newest, firstAt }: FailureGroup): number {
  return newest[0]?.createdAt ?? firstAt;
}

function add(groups: Map<string, FailureGroup>, run: Run): void {
  const { status, failure, agentId, createdAt } = run;
  if (status !== "technical_error" || !failure) return;
  const { category, title, remedy } = failure;
  const key = JSON.stringify([category, withoutValues(title)]);
  const group = groups.get(key) ?? {
    category,
    title,
    remedy,
    runs: 0,
    agentIds: new Set(),
    firstAt: createdAt,
    newest: [],
  };
  const newest = [...group.newest, run].toSorted((a, b) => b.createdAt - a.createdAt).slice(0, maxNewest);
  const text = newest[0] === run ? { title, remedy } : {};
  group.agentIds.add(agentId);
  groups.set(key, { ...group, ...text, runs: group.runs + 1, firstAt: Math.min(group.firstAt, createdAt), newest });
}

/** A text without what differs from run to run: ids, and numbers such as tokens and seconds. */
function withoutValues(text: string): string {
  return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12,}\b|\d[\d.,]*/gi, "#");
}
