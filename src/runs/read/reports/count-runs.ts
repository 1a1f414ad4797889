import type { NamedStarter } from "../../../accounts/starter.ts";
import { dollarsOf, millisecondsOf, totalTokensOf } from "../search/fact-filter.ts";
import {
  type Condition,
  conditionTests,
  filterStatusOf,
  findRuns,
  type RunSearch,
  type SearchDeps,
} from "../search/search-runs.ts";
import type { RunFilterStatus } from "../../status.ts";
import type { Run } from "../../run-types.ts";

/** A value and how many runs have it. */
export interface ValueCount {
  value: string;
  count: number;
}

/**
 * Runs by status, model, tool, category of their failure, starter and label, each among the runs that pass all other conditions; and what
 * the runs that pass all conditions used. `complete`: all runs are counted.
 */
export type RunCounts = Record<RunFilterStatus, number> & {
  models: ValueCount[];
  tools: ValueCount[];
  categories: ValueCount[];
  starters: { starter: NamedStarter; count: number }[];
  labels: ValueCount[];
  runs: number;
  /** Of the runs whose cost is known. */
  dollars: number;
  tokens: number;
  /** Undefined: no run. */
  medianMilliseconds: number | undefined;
  complete: boolean;
};

/** Runs that are counted at most, the newest ones. */
const maxCounted = 1_000;
/** Values of a facet that are reported, those with most runs. */
const maxValues = 50;

/** Counts the newest runs. A search for a text ends after `maxCounted` runs, whether they match or not. */
export async function countRuns(
  deps: SearchDeps,
  { statuses, labels, facts, now = Date.now(), ...search }: Omit<RunSearch, "limit" | "cursor" | "order">,
): Promise<RunCounts> {
  const { runs, cursor } = await findRuns(deps, { ...search, now, limit: maxCounted });
  const tests = Object.entries(conditionTests({ statuses, labels, facts }, now));
  const passing = (except?: Condition): Run[] =>
    runs.filter((run) => tests.every(([condition, test]) => condition === except || test(run)));
  const counts = { running: 0, waiting: 0, finished: 0, technical_error: 0, terminated: 0, waiting_for_input: 0 };
  for (const run of passing("status")) counts[filterStatusOf(run)]++;
  const all = passing();
  return {
    ...counts,
    models: valuesOf(passing("model"), ({ model }) => (model === undefined ? [] : [model])),
    tools: valuesOf(passing("tool"), (run) => run.tools ?? []),
    categories: valuesOf(passing("category"), ({ failure }) => (failure ? [failure.category] : [])),
    starters: await startersOf(deps, passing("starter")),
    labels: valuesOf(passing("label"), (run) =>
      Object.entries(run.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    ),
    runs: all.length,
    dollars: all.reduce((sum, run) => sum + (dollarsOf(run) ?? 0), 0),
    tokens: all.reduce((sum, run) => sum + totalTokensOf(run), 0),
    medianMilliseconds: median(all.map((run) => millisecondsOf(run, now))),
    complete: cursor === undefined,
  };
}

/** The values of runs, most runs first. */
function valuesOf(runs: Run[], read: (run: Run) => string[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const value of runs.flatMap(read)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const all = [...counts].map(([value, count]) => ({ value, count }));
  return all.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, maxValues);
}

/** Who created runs, most runs first. A key that programs and MCP clients use counts once. */
async function startersOf({ describer }: SearchDeps, runs: Run[]): Promise<RunCounts["starters"]> {
  const byId = new Map(runs.flatMap(({ startedBy }) => (startedBy ? [[startedBy.id, startedBy] as const] : [])));
  const counts = valuesOf(runs, ({ startedBy }) => (startedBy ? [startedBy.id] : []));
  const named = counts.map(async ({ value, count }) => {
    const starter = byId.get(value);
    return starter ? [{ starter: await describer.named(starter), count }] : [];
  });
  return (await Promise.all(named)).flat();
}

function median(values: number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
