import type { ReadonlySignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { minimapPaths, minimapWidth } from "./minimap-paths.ts";
import type { Range } from "./axis.ts";
import type { RunView } from "../view.ts";

interface Props {
  view: RunView;
  /** What is on screen, in milliseconds of the axis. */
  frame: ReadonlySignal<Range>;
  /** Length of the axis in milliseconds. */
  length: number;
  /** Scrolls to a place of the axis. */
  onJump: (place: number) => void;
  onZoom: () => void;
}

/** The whole run. The frame is what is on screen: click jumps, drag moves, double click zooms the lane. */
export function Minimap({ view, frame, length, onJump, onZoom }: Props) {
  const { model, version, selected, running, now } = view;
  const end = running.value ? now.value : 0;
  // Long runs are drawn at most each 16th event: the drawing takes time in proportion to the run.
  const drawn = model.steps.length > 1_000 ? version.value >> 4 : version.value;
  const paths = useMemo(() => minimapPaths(model, length, end), [model, drawn, length, end]);
  const element = useRef<HTMLDivElement>(null);
  const drag = useDrag(element, (fraction) => onJump(fraction * length));
  const step = selected.value?.step;
  const mark = step && (step.startedAt ?? step.attempts[0]?.startedAt);
  const left = mark === undefined ? undefined : (model.time.place(mark) / Math.max(1, length)) * minimapWidth;
  const right =
    step?.endedAt === undefined ? left : (model.time.place(step.endedAt) / Math.max(1, length)) * minimapWidth;

  return (
    <div
      ref={element}
      class="run-minimap"
      title="Click to jump, drag to move, double click to zoom"
      aria-hidden="true"
      {...drag}
      onDblClick={onZoom}
    >
      <svg viewBox={`0 0 ${minimapWidth} 44`} preserveAspectRatio="none">
        <pattern id="run-hatch" width="14" height="44" patternUnits="userSpaceOnUse">
          <path d="M0 0h7v44H0z" />
        </pattern>
        {paths.turns.map((place) => (
          <path class="turn" d={`M${place.toFixed(1)} 6v32`} />
        ))}
        <path class="wait" d={paths.bars.wait} />
        <path class="model" d={paths.bars.model} />
        <path class="tool" d={paths.bars.tool} />
        <path class="failed" d={paths.bars.failed + paths.bars.unanswered + paths.errors} />
        {left !== undefined && right !== undefined && (
          <path
            class="selected"
            d={`M${left.toFixed(1)} 12H${Math.max(right, left + 4).toFixed(1)}v8H${left.toFixed(1)}z`}
          />
        )}
        <path
          class="gap"
          d={paths.gaps.map(({ from, until }) => dashes(from) + dashes(Math.max(until, from + 8))).join("")}
        />
      </svg>
      <Frame frame={frame} length={length} />
    </div>
  );
}

/** Alone, so that scrolling draws nothing else again. */
function Frame({ frame, length }: Pick<Props, "frame" | "length">) {
  const { from, until } = frame.value;
  const whole = Math.max(1, length);
  return (
    <i class="frame" style={{ left: `${(from / whole) * 100}%`, right: `${Math.max(0, 1 - until / whole) * 100}%` }} />
  );
}

function dashes(place: number): string {
  return `M${place.toFixed(1)} 4v36`;
}

/** Calls back with the place of the pointer, from 0 to 1: while it is down, at most each second frame. */
function useDrag(element: { current: HTMLElement | null }, onPlace: (fraction: number) => void) {
  const state = useRef<{ down: boolean; x: number; waiting: boolean }>({ down: false, x: 0, waiting: false });
  const report = (): void => {
    const box = element.current?.getBoundingClientRect();
    if (box) onPlace(Math.min(1, Math.max(0, (state.current.x - box.left) / box.width)));
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      element.current?.setPointerCapture(event.pointerId);
      state.current = { down: true, x: event.clientX, waiting: false };
      report();
    },
    onPointerMove: (event: PointerEvent) => {
      const drag = state.current;
      drag.x = event.clientX;
      if (!drag.down || drag.waiting) return;
      drag.waiting = true;
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          drag.waiting = false;
          report();
        }),
      );
    },
    onPointerUp: () => (state.current.down = false),
    onPointerCancel: () => (state.current.down = false),
  };
}
