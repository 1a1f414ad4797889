import type { RunModel } from "../model/run-model.ts";
import { type BarKind, barsOf } from "./bars.ts";

/** The drawing's own width. It is stretched to the width of the page. */
export const minimapWidth = 2_000;

/** Vertical place and height of each kind of bar, in a drawing of 44 px. */
const tracks: Record<BarKind, { top: number; height: number }> = {
  wait: { top: 12, height: 8 },
  model: { top: 12, height: 8 },
  unanswered: { top: 12, height: 8 },
  tool: { top: 22, height: 5 },
  failed: { top: 22, height: 5 },
};

/** Smallest width of a bar and of the space between two bars. */
const shortest = 3;

/** The mark below a failed call. */
const triangle = { width: 22, height: 8, bottom: 39 };

export interface MinimapPaths {
  /** One SVG path for all bars of a kind. */
  bars: Record<BarKind, string>;
  /** Triangles below failed calls, as one path. */
  errors: string;
  /** Places of interruptions. */
  gaps: { from: number; until: number }[];
  /** Places where turns begin, but the first. */
  turns: number[];
}

/** The whole run as a few paths. Bars that touch become one, so the paths stay short in long runs. */
export function minimapPaths(model: RunModel, length: number, now: number): MinimapPaths {
  const whole = { from: 0, until: Math.max(1, length) };
  const placeOf = (at: number): number => (model.time.place(at) / whole.until) * minimapWidth;
  const open: Partial<Record<BarKind, { left: number; right: number }>> = {};
  const paths: Record<BarKind, string> = { wait: "", model: "", unanswered: "", tool: "", failed: "" };
  let errors = "";
  let lastError = -Infinity;
  const close = (kind: BarKind): void => {
    const bar = open[kind];
    if (!bar) return;
    const { top, height } = tracks[kind];
    paths[kind] += `M${bar.left.toFixed(1)} ${top}H${bar.right.toFixed(1)}v${height}H${bar.left.toFixed(1)}z`;
  };
  for (const step of model.steps) {
    for (const { kind, left, width } of barsOf(step, model.time, whole, now)) {
      const from = left * minimapWidth;
      const until = Math.max(from + shortest, (left + width) * minimapWidth - 1);
      const last = open[kind];
      if ((kind === "failed" || kind === "unanswered") && from - lastError >= triangle.width) {
        errors += `M${(from - triangle.width / 2).toFixed(1)} ${triangle.bottom}h${triangle.width}l-${triangle.width / 2} -${triangle.height}z`;
        lastError = from;
      }
      if (last && from <= last.right && from >= last.left) last.right = Math.max(last.right, until);
      else {
        close(kind);
        open[kind] = { left: from, right: until };
      }
    }
  }
  for (const kind of Object.keys(open) as BarKind[]) close(kind);
  return {
    bars: paths,
    errors,
    gaps: model.gaps.slice(-200).map(({ from, until }) => ({ from: placeOf(from), until: placeOf(until) })),
    turns: model.turns
      .slice(1)
      .slice(-200)
      .flatMap(({ startedAt }) => (startedAt === undefined ? [] : [placeOf(startedAt)])),
  };
}
