import type { RunCounts } from "../api/types.ts";
import { formatNumber } from "../format.ts";
import { filterStates, type FilterState } from "./filters.ts";

/** Runs by state. */
export type StateCounts = Pick<RunCounts, FilterState | "complete">;

/** What a status tab or the foot counts: the runs of one state, or of all. */
export function countOf(counts: StateCounts, status: FilterState | undefined): number {
  return status === undefined ? filterStates.reduce((sum, state) => sum + counts[state], 0) : counts[status];
}

/**
 * `1,275`; `900+` where the service counted the newest 1,000 runs only. `…` where such a count says nothing: it found none, or
 * `isSearch`, and then it has compared the newest 1,000 runs only. "": not counted yet.
 */
export function countText(counts: StateCounts | undefined, status: FilterState | undefined, isSearch: boolean): string {
  if (!counts) return "";
  const count = countOf(counts, status);
  if (counts.complete) return formatNumber(count);
  return isSearch || count === 0 ? "…" : `${formatNumber(count)}+`;
}

/** `50 of 1,275 shown`, or `50 shown` where the number of all is not known. */
export function shownText(
  shown: number,
  counts: StateCounts | undefined,
  status: FilterState | undefined,
  isSearch: boolean,
): string {
  const of = countText(counts, status, isSearch);
  const isKnown = counts !== undefined && of !== "…" && countOf(counts, status) >= shown;
  return isKnown ? `${formatNumber(shown)} of ${of} shown` : `${formatNumber(shown)} shown`;
}
