import type { ComponentChildren, Ref } from "preact";
import { useImperativeHandle, useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../model/run-model-types.ts";
import type { RunView } from "../view.ts";
import type { Range } from "./axis.ts";
import { AxisHead } from "./axis-head.tsx";
import { estimatedHeight } from "./rows/row.tsx";
import { TimelineRow } from "./rows/timeline-row.tsx";
import { useFollow } from "./use-follow.ts";
import { useVirtual, type VirtualList } from "./use-virtual.ts";
import { endOfRow, timeOfRow } from "./rows/visible-rows.ts";

/** What the page does with the timeline. */
export interface TimelineHandle {
  scrollToRow: (index: number) => void;
  /** Scrolls so that a row is at the top: for the minimap. */
  showFrom(index: number): void;
  focusRow(index: number): void;
  scrollToEnd(): void;
}

interface Props {
  view: RunView;
  rows: Row[];
  /** Index of the row that the keyboard is at. */
  cursor: number;
  /** Reports what is on screen. */
  onFrame: (frame: Range) => void;
  onCursor: (index: number) => void;
  /** Below the rows. */
  tail: ComponentChildren;
  handle: Ref<TimelineHandle>;
}

/** The rows of the run. Only those on screen are in the document. */
export function Timeline({ view, rows, cursor, onFrame, onCursor, tail, handle }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const rendered = useRef<HTMLDivElement>(null);
  const list = useVirtual({ rows, estimate: estimatedHeight, scroller, rendered });
  useFollow(scroller, list, view);
  useImperativeHandle(handle, () => handleOf(list, scroller), [list]);
  useLayoutEffect(() => {
    const frame = frameOf(list, rows, view);
    if (frame) onFrame(frame);
  });

  const focus = (index: number): void => {
    if (index < 0 || index >= rows.length) return;
    view.follow.value = false;
    onCursor(index);
    focusRow(list, scroller, index);
  };

  return (
    <div class="run-scroller" ref={scroller}>
      <AxisHead view={view} />
      <div class="run-rows">
        <div ref={rendered} role="list" aria-label="Timeline">
          {rows.slice(list.first, list.until).map((row, place) => {
            const index = list.first + place;
            return (
              <TimelineRow
                key={row.key}
                row={row}
                view={view}
                index={index}
                count={rows.length}
                current={index === cursor}
                onCursor={onCursor}
                onFocusRow={focus}
              />
            );
          })}
        </div>
      </div>
      {tail}
    </div>
  );
}

/** What is on screen, on the axis. */
function frameOf({ visible }: VirtualList<Row>, rows: Row[], { model, running }: RunView): Range | undefined {
  if (!visible) return undefined;
  const shown = rows.slice(visible.first, visible.last + 1);
  const starts = shown.map(timeOfRow).filter((time) => time !== undefined);
  const ends = shown.map(endOfRow).filter((time) => time !== undefined);
  if (starts.length === 0 || ends.length === 0) return undefined;
  // While the run works, its end is now: further than anything recorded.
  const isOpen = running.value && visible.last === rows.length - 1;
  return {
    from: model.time.place(Math.min(...starts)),
    until: isOpen ? Infinity : model.time.place(Math.max(...ends)),
  };
}

function handleOf(list: VirtualList<Row>, scroller: { current: HTMLElement | null }): TimelineHandle {
  return {
    scrollToRow: (index) => list.scrollToIndex(index, "auto"),
    showFrom: (index) => list.scrollToIndex(index, "start"),
    focusRow: (index) => focusRow(list, scroller, index),
    scrollToEnd: () => list.scrollToEnd(),
  };
}

function focusRow(list: VirtualList<Row>, scroller: { current: HTMLElement | null }, index: number): void {
  list.scrollToIndex(index, "auto");
  // The row is in the document after the list has rendered it.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true });
    }),
  );
}
