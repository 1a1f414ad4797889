import type { RunCounts } from "../api/types.ts";
import { pageUrl } from "../state/url.ts";
import { Icon } from "../ui/icon.tsx";
import { runStates } from "../ui/status.tsx";
import { countText } from "./counts-text.ts";
import { filterStates, type FilterState } from "./filters.ts";

interface StatusTabsProps {
  counts: RunCounts | undefined;
  status: FilterState | undefined;
  query: Record<string, string>;
}

/** The states as tabs: each counts what the other filters leave, and filters. */
export function StatusTabs({ counts, status, query }: StatusTabsProps) {
  const isSearch = query["q"] !== undefined;
  return (
    <nav class="tabs status-tabs" aria-label="Status">
      <a href={pageUrl("runs", { ...query, status: undefined })} aria-current={status ? undefined : "true"}>
        All <span class="count">{countText(counts, undefined, isSearch)}</span>
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
          {runStates[state].word} <span class="count">{countText(counts, state, isSearch)}</span>
        </a>
      ))}
    </nav>
  );
}
