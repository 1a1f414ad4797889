import { useMemo, useState } from "preact/hooks";
import { useQuery } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import type { Row } from "../model/run-model-types.ts";
import type { TimelineHandle } from "./timeline.tsx";
import { rowsWith } from "./rows/visible-rows.ts";

interface Props {
  rows: Row[];
  handle: { current: TimelineHandle | null };
  onCursor: (index: number) => void;
  onClose: () => void;
}

/** Finds rows by text. Enter goes to the next one, Shift Enter to the one before. Reads what is loaded of each text. */
export function FindField({ rows, handle, onCursor, onClose }: Props) {
  const [query, setQuery] = useQuery();
  const text = query["find"];
  const [current, setCurrent] = useState(0);
  const found = useMemo(() => (text === undefined ? [] : rowsWith(rows, text)), [rows, rows.length, text]);

  function go(index: number): void {
    if (found.length === 0) return;
    const next = (index + found.length) % found.length;
    setCurrent(next);
    const row = found[next] ?? 0;
    onCursor(row);
    handle.current?.scrollToRow(row);
  }

  const close = (): void => {
    onClose();
    setQuery({ find: undefined });
  };
  return (
    <search class="run-find">
      <input
        class="input"
        type="search"
        aria-label="Find in run"
        title="Reads the first 2,048 characters of each text"
        placeholder="Find in run"
        autofocus
        value={text ?? ""}
        onInput={(event) => {
          setQuery({ find: event.currentTarget.value });
          setCurrent(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(current + (event.shiftKey ? -1 : event.currentTarget.dataset["went"] ? 1 : 0));
          if (event.key === "Enter") event.currentTarget.dataset["went"] = "yes";
          else delete event.currentTarget.dataset["went"];
          if (event.key === "Escape") close();
        }}
      />
      <span class="count" role="status">
        {text ? (found.length === 0 ? "none" : `${current + 1} of ${found.length}`) : ""}
      </span>
      <Button kind="plain" size="small" icon="up" label="Previous row" onClick={() => go(current - 1)} />
      <Button kind="plain" size="small" icon="down" label="Next row" onClick={() => go(current + 1)} />
      <Button kind="plain" size="small" icon="close" label="Close" onClick={close} />
    </search>
  );
}
