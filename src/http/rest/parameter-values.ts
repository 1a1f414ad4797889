import { ServiceError } from "../../errors.ts";
import type { RunPoint } from "../../runs/files/read-files.ts";
import type { FactFilter } from "../../runs/read/search/fact-filter.ts";
import type { RunSearch } from "../../runs/read/search/search-runs.ts";

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

/** The end of a new key or token, in milliseconds since 1970. Undefined: it does not expire. */
export function expiryIn(expires_at: string | null | undefined): number | undefined {
  return expires_at === undefined || expires_at === null ? undefined : timeIn("expires_at", expires_at);
}

/** The option of a list or search, which begins now, that charges its caller for the runs that it reads. */
export function charged({ beginList }: { beginList?: () => (runs: number) => void }): Pick<RunSearch, "onRead"> {
  return beginList ? { onRead: beginList() } : {};
}

/** The values of `searchFilters` and of the conditions that only the management API has. */
interface SearchParameters {
  since?: string;
  until?: string;
  label?: string[];
  q?: string;
  model?: string[];
  tool?: string[];
  category?: NonNullable<FactFilter["categories"]>;
  started_by?: string[];
  min_dollars?: number;
  max_dollars?: number;
  min_seconds?: number;
  max_seconds?: number;
}

/** The conditions of a search. */
export function searchIn({
  since,
  until,
  label,
  q,
  ...facts
}: SearchParameters): Pick<RunSearch, "since" | "until" | "labels" | "text" | "facts"> {
  return {
    ...(since !== undefined && { since: timeIn("since", since) }),
    ...(until !== undefined && { until: timeIn("until", until) }),
    ...(label !== undefined && { labels: label.map(labelIn) }),
    ...(q !== undefined && { text: q }),
    facts: factsIn(facts),
  };
}

function factsIn(facts: SearchParameters): FactFilter {
  const { model, tool, category, started_by, min_dollars, max_dollars, min_seconds, max_seconds } = facts;
  return {
    ...(model && { models: model }),
    ...(tool && { tools: tool }),
    ...(category && { categories: category }),
    ...(started_by && { starters: started_by }),
    ...(min_dollars !== undefined && { minDollars: min_dollars }),
    ...(max_dollars !== undefined && { maxDollars: max_dollars }),
    ...(min_seconds !== undefined && { minSeconds: min_seconds }),
    ...(max_seconds !== undefined && { maxSeconds: max_seconds }),
  };
}

/** A label as `KEY=VALUE`. A value can contain `=`, a key cannot. */
function labelIn(text: string): { name: string; value: string } {
  const at = text.indexOf("=");
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
