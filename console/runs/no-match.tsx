import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client.ts";
import type { RunCounts } from "../api/types.ts";
import { formatNumber } from "../format.ts";
import { pageUrl } from "../state/url.ts";
import { Empty } from "../ui/empty.tsx";
import { runStates } from "../ui/status.tsx";
import { apiQuery, type Filters, filterStates, windows } from "./filters.ts";

interface NoMatchProps {
  filters: Filters;
  organizationId: string | undefined;
  query: Record<string, string>;
}

/** No run matches: says what a longer time would show. */
export function NoMatch({ filters, organizationId, query }: NoMatchProps) {
  const [counts, setCounts] = useState<RunCounts>();
  useEffect(() => {
    const { status: _, ...wider } = apiQuery({ ...filters, window: "all" }, organizationId, Date.now());
    get<RunCounts>("/runs/counts", { query: wider }).then(setCounts, () => {});
  }, [JSON.stringify([filters, organizationId])]);
  const { status, window } = filters;
  const older = counts && (status ? counts[status] : filterStates.reduce((sum, state) => sum + counts[state], 0));
  const what = status ? runStates[status].word.toLowerCase() : "matching";
  return (
    <Empty title="No run matches">
      {older !== undefined && older > 0 && window !== "all" && (
        <p>
          {formatNumber(older)} {what} {older === 1 ? "run is" : "runs are"} older than the{" "}
          {windows[window]?.name.toLowerCase()}.
        </p>
      )}
      <p>
        {older !== undefined && older > 0 && window !== "all" && (
          <>
            <a href={pageUrl("runs", { ...query, since: "all" })}>Show all time</a> ·{" "}
          </>
        )}
        <a href={pageUrl("runs", { since: "all" })}>Clear filters</a>
      </p>
    </Empty>
  );
}
