import { useEffect, useRef } from "preact/hooks";
import type { RunView } from "../view.ts";
import { ticksOf } from "./axis.ts";

/** Heads of the columns, with the ticks of the time axis. */
export function AxisHead({ view }: { view: RunView }) {
  const range = view.range.value;
  const length = Math.max(1, range.until - range.from);
  const axis = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      // 0: the head is hidden.
      if (axis.current?.clientWidth) view.laneWidth.value = axis.current.clientWidth;
    });
    if (axis.current) observer.observe(axis.current);
    return () => observer.disconnect();
  }, [view]);
  return (
    <div class="run-head" aria-hidden="true">
      <span />
      <span>Step</span>
      <span class="run-axis" ref={axis}>
        {ticksOf(range, view.laneWidth.value).map(({ place, label }) => (
          <span style={{ left: `${((place - range.from) / length) * 100}%` }}>{label}</span>
        ))}
      </span>
      <span class="run-tokens">Tokens</span>
      <span class="run-took">Took</span>
    </div>
  );
}

/** Places of the grid lines behind the rows, for their styles: distance and offset as fractions of the lane. */
export function gridOf({ range, laneWidth }: RunView): { distance: string; offset: string } {
  const { from, until } = range.value;
  const [first, second] = ticksOf(range.value, laneWidth.value);
  const length = Math.max(1, until - from);
  if (!first) return { distance: "1", offset: "0" };
  return {
    distance: String(((second?.place ?? until) - first.place) / length),
    offset: String((first.place - from) / length),
  };
}
