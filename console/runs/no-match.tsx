import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { formatNumber } from "../format.ts";
import { pageUrl } from "../state/url.ts";
import { Empty } from "../ui/empty.tsx";
import { apiQuery, type Filters, type FilterState, filterStates, windows } from "./filters.ts";

interface NoMatchProps {
  filters: Filters;
  organizationId: string | undefined;
  query: Record<string, string>;
}

/** The shortest longer time in which runs match, and how many. */
interface Older {
  window: string;
  count: number;
}

/** No run matches: says which longer time has some. */
export function NoMatch({ filters, organizationId, query }: NoMatchProps) {
  const [older, setOlder] = useState<Older>();
  useEffect(() => {
    setOlder(undefined);
    const controller = new AbortController();
    findOlder(filters, organizationId, controller.signal).then(setOlder, () => {});
    return () => controller.abort();
  }, [JSON.stringify([filters, organizationId])]);
  const { status, window } = filters;
  return (
    <Empty title="No run matches">
      {older && (
        <p>
          {formatNumber(older.count)} {nounOf(status, older.count)} older than {windows[window]?.span}.
        </p>
      )}
      <p class="row">
        {older && (
          <a class="button" href={pageUrl("runs", { ...query, since: older.window })}>
            Show {windows[older.window]?.span}
          </a>
        )}
        {filters.text !== undefined && (
          <a class="button" href={pageUrl("texts", { q: filters.text, agent: filters.agent })}>
            Search in all recorded texts
          </a>
        )}
        <a class="button" href={pageUrl("runs", { since: "all" })}>
          Clear filters
        </a>
      </p>
    </Empty>
  );
}

async function findOlder(
  filters: Filters,
  organizationId: string | undefined,
  signal: AbortSignal,
): Promise<Older | undefined> {
  const names = Object.keys(windows);
  for (const window of names.slice(names.indexOf(filters.window) + 1)) {
    const { status: _, ...query } = apiQuery({ ...filters, window }, organizationId, Date.now());
    const counts = await call("count_runs", query, { signal });
    const states = filters.status ? [filters.status] : filterStates;
    const count = states.reduce((sum, state) => sum + counts[state], 0);
    if (count > 0) return { window, count };
  }
  return undefined;
}

/** `technical errors are`: the runs of a state, with their verb. */
function nounOf(status: FilterState | undefined, count: number): string {
  const [one, many] = nouns[status ?? "all"];
  return count === 1 ? `${one} is` : `${many} are`;
}

const nouns: Record<FilterState | "all", [one: string, many: string]> = {
  all: ["matching run", "matching runs"],
  running: ["running run", "running runs"],
  waiting: ["run that waits for an answer", "runs that wait for an answer"],
  waiting_for_input: ["run that waits for input", "runs that wait for input"],
  finished: ["finished run", "finished runs"],
  technical_error: ["technical error", "technical errors"],
  terminated: ["terminated run", "terminated runs"],
};
