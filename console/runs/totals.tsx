import type { RunCounts } from "../api/types.ts";
import { formatDollars, formatDuration, formatNumber } from "../format.ts";
import { pageUrl } from "../state/url.ts";
import { conditionsOf, type Filters } from "./filters.ts";

interface TotalsProps {
  counts: RunCounts | undefined;
  filters: Filters;
  query: Record<string, string>;
}

/** What the listed runs used together, and a link that removes the filters. */
export function Totals({ counts, filters, query }: TotalsProps) {
  const conditions = conditionsOf(filters);
  if (conditions.length === 0 && filters.sort === "created") return null;
  const kept = Object.entries(query).filter(([name]) => !conditions.includes(name) && name !== "sort");
  return (
    <p class="run-totals">
      {counts && (
        <>
          <span>
            <b>
              {formatNumber(counts.runs)}
              {!counts.complete && "+"}
            </b>{" "}
            {counts.runs === 1 ? "run" : "runs"}
          </span>
          {counts.dollars > 0 && <b>{formatDollars(counts.dollars)}</b>}
          <span>
            <b>{formatNumber(counts.tokens)}</b> tokens
          </span>
          {counts.median_seconds !== null && (
            <span>
              median <b>{formatDuration(counts.median_seconds * 1_000)}</b>
            </span>
          )}
          {!counts.complete && <span class="muted">of the newest 1,000</span>}
        </>
      )}
      <a class="end" href={pageUrl("runs", Object.fromEntries(kept))}>
        {conditions.length === 0
          ? "Newest first"
          : conditions.length === 1
            ? "Clear 1 filter"
            : `Clear ${conditions.length} filters`}
      </a>
    </p>
  );
}
