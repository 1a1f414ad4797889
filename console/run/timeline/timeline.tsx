import type { Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren, Ref } from "preact";
import { useCallback, useImperativeHandle, useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../model/types.ts";
import type { RunView } from "../view.ts";
import type { Range } from "./axis.ts";
import { AxisHead } from "./axis-head.tsx";
import { estimatedHeight, RowContent } from "./row.tsx";
import { stepLabel } from "./step-row.tsx";
import { useFollow } from "./use-follow.ts";
import { useVirtual } from "./use-virtual.ts";
import { endOfRow, timeOfRow } from "./visible-rows.ts";

/** Height of the axis at the top, which sticks. */
const headHeight = 30;

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
  // The virtualizer measures all rows again when these functions change.
  const estimateSize = useCallback((index: number) => estimatedHeight(rows[index]), [rows]);
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const virtualizer = useVirtual({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan: 4,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
  });
  const items = virtualizer.getVirtualItems();
  useFollow(scroller, view);
  useImperativeHandle(handle, () => handleOf(virtualizer, scroller), [virtualizer]);
  useLayoutEffect(() => {
    const frame = frameOf(virtualizer, rows, view);
    if (frame) onFrame(frame);
  });

  return (
    <div class="run-scroller" ref={scroller}>
      <AxisHead view={view} />
      <div class="run-rows" role="list" aria-label="Timeline" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          return (
            row && (
              <TimelineRow
                key={key}
                row={row}
                view={view}
                position={{ index, count: rows.length, top: start - headHeight }}
                current={index === cursor}
                measure={virtualizer.measureElement}
                onFocus={() => onCursor(index)}
              />
            )
          );
        })}
      </div>
      {tail}
    </div>
  );
}

interface RowProps {
  row: Row;
  view: RunView;
  position: { index: number; count: number; top: number };
  current: boolean;
  measure: (element: HTMLElement | null) => void;
  onFocus: () => void;
}

function TimelineRow({ row, view, position, current, measure, onFocus }: RowProps) {
  void view.version.value; // the row's content changes in place
  const { index, count, top } = position;
  const step = row.kind === "step" ? row.step : undefined;
  const selected = step !== undefined && view.selected.value?.step === step;
  const open = (): void => {
    if (step) view.select({ turn: step.turn, step: step.step, ...(step.calls.length > 0 && { call: 0 }) });
  };
  return (
    <div
      class={`run-row ${row.kind}${selected ? " selected" : ""}`}
      role="listitem"
      aria-label={step && stepLabel(step, view.model.turns.length)}
      aria-current={selected ? "true" : undefined}
      aria-posinset={index + 1}
      aria-setsize={count}
      data-index={index}
      tabIndex={current ? 0 : -1}
      ref={measure}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
      onFocus={onFocus}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) open();
      }}
    >
      <RowContent row={row} view={view} />
    </div>
  );
}

/** What is on screen, on the axis. */
function frameOf(
  virtualizer: Virtualizer<HTMLElement, HTMLElement>,
  rows: Row[],
  { model }: RunView,
): Range | undefined {
  const { range } = virtualizer;
  if (!range) return undefined;
  const shown = rows.slice(range.startIndex, range.endIndex + 1);
  const starts = shown.map(timeOfRow).filter((time) => time !== undefined);
  const ends = shown.map(endOfRow).filter((time) => time !== undefined);
  if (starts.length === 0 || ends.length === 0) return undefined;
  return { from: model.time.place(Math.min(...starts)), until: model.time.place(Math.max(...ends)) };
}

function handleOf(
  virtualizer: Virtualizer<HTMLElement, HTMLElement>,
  scroller: { current: HTMLElement | null },
): TimelineHandle {
  return {
    scrollToRow: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
    showFrom: (index) => virtualizer.scrollToIndex(index, { align: "start" }),
    focusRow: (index) => {
      virtualizer.scrollToIndex(index, { align: "auto" });
      // The row is in the document after the virtualizer has rendered it.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true });
        }),
      );
    },
    scrollToEnd: () => {
      const element = scroller.current;
      if (element) element.scrollTop = element.scrollHeight;
    },
  };
}
