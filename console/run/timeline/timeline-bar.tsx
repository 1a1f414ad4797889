import { useState } from "preact/hooks";
import { useQuery } from "../../state/url.ts";
import { Icon } from "../../ui/icon.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import type { Row } from "../model/run-model-types.ts";
import type { RunStore } from "../run-store.ts";
import { count } from "../text/words.ts";
import type { TimelineHandle } from "./timeline.tsx";
import type { RowFilter } from "./rows/visible-rows.ts";
import { Segments } from "../../ui/fields/segments.tsx";

const FindField = loadLater(() => import("./find-field.tsx").then((module) => module.FindField));

interface Props {
  store: RunStore;
  rows: Row[];
  filter: RowFilter;
  handle: { current: TimelineHandle | null };
  onCursor: (index: number) => void;
}

/** What the timeline shows, and the totals of the run. */
export function TimelineBar({ store, rows, filter, handle, onCursor }: Props) {
  const [query, setQuery] = useQuery();
  const [finding, setFinding] = useState(query["find"] !== undefined);
  void store.version.value;
  const { steps, calls, failedCalls } = store.model;
  const options: ["timeline" | "messages", string][] = [
    ["timeline", "Timeline"],
    ["messages", "Messages"],
  ];
  return (
    <div class="run-bar-top">
      <Segments
        label="View"
        options={options}
        value={filter.messages ? "messages" : "timeline"}
        onChange={(value) => setQuery({ view: value === "messages" ? value : undefined })}
      />
      <button
        type="button"
        class="run-toggle"
        aria-pressed={filter.errors}
        onClick={() => setQuery({ errors: filter.errors ? undefined : "1" })}
      >
        <Icon name="warning" /> Errors only <kbd aria-hidden="true">E</kbd>
      </button>
      {finding ? (
        <FindField rows={rows} handle={handle} onCursor={onCursor} onClose={() => setFinding(false)} />
      ) : (
        <button type="button" class="run-find-open" aria-label="Find in run" onClick={() => setFinding(true)}>
          <Icon name="search" /> <span>Find in run</span>
        </button>
      )}
      <span class="totals cut">
        {count(steps.length, "step")}, {count(calls, "tool call")}
        {failedCalls > 0 && `, ${failedCalls.toLocaleString("en")} failed`}
      </span>
    </div>
  );
}
