import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { useShortcuts } from "../state/keyboard.ts";
import type { RunCounts } from "../api/types.ts";
import { starterText } from "../run-words.ts";
import { AgentFilter } from "../state/agent-filter.tsx";
import { useQuery } from "../state/url.ts";
import { copyText } from "../ui/copy-button.tsx";
import { Button } from "../ui/fields/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/dialogs/menu.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { fieldOf, type Filters, windows } from "./filters.ts";
import { FacetFilter } from "./facet-filter.tsx";
import { LabelFilter } from "./label-filter.tsx";
import { LeastFilter } from "./least-filter.tsx";

const typingMs = 200;
const [costs, durations] = [
  [0.01, 0.05, 0.25, 1, 5],
  [10, 60, 300, 1_800],
] as const;

interface FilterBarProps {
  filters: Filters;
  /** Undefined: not counted yet. */
  counts: RunCounts | undefined;
  children?: ComponentChildren;
}

/** The filters of the list. All of them are in the address. */
export function FilterBar({ filters, counts, children }: FilterBarProps) {
  const [, setQuery] = useQuery();
  const search = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filters.text ?? "");
  useEffect(() => setText(filters.text ?? ""), [filters.text]);
  useEffect(() => {
    if (text === (filters.text ?? "")) return undefined;
    const timer = setTimeout(() => setQuery({ q: text }), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  useShortcuts("Lists", [
    { keys: "/", label: "Filter", run: () => (search.current?.focus(), search.current?.select()) },
  ]);

  return (
    <div class="filter-bar">
      <label class="search-field">
        <Icon name="search" />
        <input
          ref={search}
          class="input"
          type="search"
          aria-label="Filter by name, input text or run id"
          placeholder="Name, input text or run id"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <AgentFilter chosen={filters.agent} onChoose={(agent) => setQuery({ agent })} />
      {((counts?.labels.length ?? 0) > 0 || filters.label !== undefined) && (
        <LabelFilter chosen={filters.label} known={counts?.labels ?? []} onChoose={(label) => setQuery({ label })} />
      )}
      <FacetFilter
        name="Model"
        several
        chosen={filters.model}
        values={counts?.models ?? []}
        onChoose={(models) => setQuery({ model: fieldOf(models) })}
      />
      {((counts?.tools.length ?? 0) > 0 || filters.tool !== undefined) && (
        <FacetFilter
          name="Tool"
          several
          chosen={filters.tool}
          values={counts?.tools ?? []}
          onChoose={(tools) => setQuery({ tool: fieldOf(tools) })}
        />
      )}
      <LeastFilter
        name="Cost"
        chosen={filters.cost}
        values={costs}
        format={(dollars) => `$${dollars}`}
        onChoose={(cost) => setQuery({ cost: cost?.toString() })}
      />
      <LeastFilter
        name="Duration"
        chosen={filters.duration}
        values={durations}
        format={(seconds) => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`)}
        onChoose={(duration) => setQuery({ duration: duration?.toString() })}
      />
      {((counts?.categories.length ?? 0) > 0 || filters.category !== undefined) && (
        <FacetFilter
          name="Error"
          several
          chosen={filters.category}
          values={counts?.categories ?? []}
          onChoose={(categories) => setQuery({ category: fieldOf(categories) })}
        />
      )}
      {((counts?.starters.length ?? 0) > 1 || filters.starter !== undefined) && (
        <FacetFilter
          name="Started by"
          several
          chosen={filters.starter}
          values={(counts?.starters ?? []).map(({ id, count, ...starter }) => ({
            value: id,
            name: starterText(starter),
            count,
          }))}
          onChoose={(ids) => setQuery({ by: fieldOf(ids) })}
        />
      )}
      <Menu
        class={filters.window === "all" ? "chip" : "chip on"}
        label={
          <>
            Started <b>{windows[filters.window]?.name}</b>
            <Icon name="down" />
          </>
        }
      >
        {Object.entries(windows).map(([value, { name }]) => (
          <button key={value} type="button" onClick={() => setQuery({ since: value })}>
            {name}
            {value === filters.window && <Icon name="check" class="end" />}
          </button>
        ))}
      </Menu>
      <span class="end">{children}</span>
      <Button
        kind="plain"
        icon="link"
        label="Copy link to this list"
        onClick={() => void copyText(location.href).then(() => toast("Link copied"))}
      />
    </div>
  );
}
