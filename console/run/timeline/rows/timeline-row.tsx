import type { Row } from "../../model/run-model-types.ts";
import { nextCall } from "../../selection.ts";
import type { RunView } from "../../view.ts";
import { RowContent } from "./row.tsx";
import { stepLabel } from "./step-row.tsx";

interface RowProps {
  row: Row;
  view: RunView;
  index: number;
  count: number;
  current: boolean;
  onCursor: (index: number) => void;
  /** Moves the focus to another row. Ignored if there is none. */
  onFocusRow: (index: number) => void;
}

/**
 * A row of the timeline. The arrow keys go to the rows above and below, and from call to call of a step: also when single
 * keys are switched off. Reads signals, so it is not rendered again while its properties are the same.
 */
export function TimelineRow({ row, view, index, count, current, onCursor, onFocusRow }: RowProps) {
  void view.version.value; // the row's content changes in place
  const step = row.kind === "step" ? row.step : undefined;
  const selected = step !== undefined && view.selected.value?.step === step;
  const open = (): void => {
    if (step) view.select({ turn: step.turn, step: step.step, ...(step.calls.length > 0 && { call: 0 }) });
  };

  function selectCall(by: 1 | -1, element: HTMLElement): void {
    const place = step && nextCall(view.selected.value, step, by);
    if (!place) return;
    view.select(place);
    // A call without a cell of its own leaves the focus at the row.
    const cell = element.querySelector<HTMLElement>(`[data-calls~="${place.call}"]`);
    (cell ?? element).focus({ preventScroll: true });
  }

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    const isRow = event.target === event.currentTarget;
    const isCell = (event.target as Element).matches(".run-call");
    if ((!isRow && !isCell) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown") onFocusRow(index + 1);
    else if (event.key === "ArrowUp") onFocusRow(index - 1);
    else if (event.key === "ArrowRight") selectCall(1, event.currentTarget);
    else if (event.key === "ArrowLeft") selectCall(-1, event.currentTarget);
    else {
      if (event.key === "Enter" && isRow) open();
      return;
    }
    event.preventDefault(); // the browser would scroll
  }

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
      onClick={open}
      onFocus={() => onCursor(index)}
      onKeyDown={onKeyDown}
    >
      <RowContent row={row} view={view} />
    </div>
  );
}
