import type { RunCounts } from "../api/types.ts";
import { formatNumber } from "../format.ts";
import { pageUrl } from "../state/url.ts";
import { Icon } from "../ui/icon.tsx";
import { runStates } from "../ui/status.tsx";
import { filterStates, type FilterState } from "./filters.ts";

interface StatusTabsProps {
  counts: RunCounts | undefined;
  status: FilterState | undefined;
  query: Record<string, string>;
}

/** The states as tabs: each counts what the other filters leave, and filters. */
export function StatusTabs({ counts, status, query }: StatusTabsProps) {
  const all = counts && filterStates.reduce((sum, state) => sum + counts[state], 0);
  // The service counts the newest 1,000 runs.
  const shown = (count: number | undefined): string =>
    count === undefined ? "" : `${formatNumber(count)}${counts?.complete === false && count > 0 ? "+" : ""}`;
  return (
    <nav class="tabs status-tabs" aria-label="Status">
      <a href={pageUrl("runs", { ...query, status: undefined })} aria-current={status ? undefined : "true"}>
        All <span class="count">{shown(all)}</span>
      </a>
      {filterStates.map((state) => (
        <a
          key={state}
          href={pageUrl("runs", { ...query, status: state })}
          aria-current={state === status ? "true" : undefined}
        >
          <span class={`status ${state}`}>
            <Icon name={runStates[state].icon} />
          </span>
          {runStates[state].word} <span class="count">{shown(counts?.[state])}</span>
        </a>
      ))}
    </nav>
  );
}
