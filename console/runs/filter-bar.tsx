import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { useShortcuts } from "../state/keyboard.ts";
import { useQuery } from "../state/url.ts";
import { copyText } from "../ui/copy-button.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { toast } from "../ui/toast.tsx";
import { AgentFilter } from "./agent-filter.tsx";
import { type Filters, windows } from "./filters.ts";
import { LabelFilter } from "./label-filter.tsx";

const typingMs = 200;

interface FilterBarProps {
  filters: Filters;
  /** Of the runs in the list, as `KEY=VALUE`. */
  labels: string[];
  children?: ComponentChildren;
}

/** Text, agent, label and time as filters. All of them are in the address. */
export function FilterBar({ filters, labels, children }: FilterBarProps) {
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
      {(labels.length > 0 || filters.label !== undefined) && (
        <LabelFilter chosen={filters.label} known={labels} onChoose={(label) => setQuery({ label })} />
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
