import type { Point } from "../model/types.ts";

/** Size of the chart in its own units. */
export const chart = { width: 480, height: 120 };

/** Corners of the stairs at most: more would not be seen. */
const mostCorners = 600;

/** A chart of a total that rises with each step. */
export interface Stairs {
  /** The line, and the area below it. */
  line: string;
  area: string;
  /** Height of the limit. Undefined: it is far above the total, or there is none. */
  limitAt?: number;
  top: number;
}

/** Stairs of a total by step, up to a little above the total, or above a limit that is near. */
export function stairsOf(points: Point[], value: (point: Point) => number, limit: number | undefined): Stairs {
  const total = Math.max(0, ...points.slice(-1).map(value));
  const near = limit !== undefined && limit <= total * 4;
  const top = Math.max(near ? limit : 0, total, Number.MIN_VALUE) * 1.1;
  const y = (amount: number): number => chart.height - (amount / top) * chart.height;
  const every = Math.max(1, Math.ceil(points.length / mostCorners));
  const shown = points.filter((_, index) => index % every === 0 || index === points.length - 1);
  const width = chart.width / Math.max(1, shown.length);
  const corners = shown.map((point, index) => `V${y(value(point)).toFixed(1)}H${((index + 1) * width).toFixed(1)}`);
  const line = `M0 ${chart.height}${corners.join("")}`;
  return { line, area: `${line}V${chart.height}z`, top, ...(near && { limitAt: y(limit) }) };
}
