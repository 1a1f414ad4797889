import type { Point } from "../model/run-model-types.ts";

/** Size of the chart in its own units. */
export const chart = { width: 480, height: 120 };

/** Corners of the stairs at most: more would not be seen. */
const mostCorners = 600;

/** A line of the chart's grid. `at`: from the top, in the chart's units. */
export interface GridLine {
  amount: number;
  at: number;
}

/** A chart of a total that rises with each step, in parts that lie on each other. */
export interface Stairs {
  /** The line of the total. */
  line: string;
  /** The area of each part, the lowest first. */
  areas: string[];
  grid: GridLine[];
  /** Height of the limit. Undefined: it is far above the total, or there is none. */
  limitAt?: number;
}

/** Stairs by step, up to a little above the total, or above a limit that is near. `parts`: what the total consists of. */
export function stairsOf(
  points: Point[],
  parts: readonly ((point: Point) => number)[],
  limit: number | undefined,
): Stairs {
  const sumsOf = (point: Point): number[] => {
    let sum = 0;
    return parts.map((part) => (sum += part(point)));
  };
  const total = Math.max(0, ...points.slice(-1).flatMap(sumsOf));
  const near = limit !== undefined && limit <= total * 4;
  const top = Math.max(near ? limit : 0, total, Number.MIN_VALUE) * 1.1;
  const y = (amount: number): number => chart.height - (amount / top) * chart.height;
  const every = Math.max(1, Math.ceil(points.length / mostCorners));
  const shown = points.filter((_, index) => index % every === 0 || index === points.length - 1);
  const width = chart.width / Math.max(1, shown.length);
  const sums = shown.map(sumsOf);
  const lineOf = (part: number): string =>
    `M0 ${chart.height}${sums.map((each, index) => `V${y(each[part] ?? 0).toFixed(1)}H${((index + 1) * width).toFixed(1)}`).join("")}`;
  return {
    line: lineOf(parts.length - 1),
    areas: parts.map((_, part) => `${lineOf(part)}V${chart.height}z`),
    grid: gridAmounts(top).map((amount) => ({ amount, at: y(amount) })),
    ...(near && { limitAt: y(limit) }),
  };
}

/** One to three round amounts above 0: 1, 2 or 5 times a power of ten apart. */
export function gridAmounts(top: number): number[] {
  const power = 10 ** Math.floor(Math.log10(top / 2));
  const distance = [1, 2, 5, 10].map((factor) => factor * power).find((each) => top / each < 4) ?? top;
  return Array.from({ length: Math.floor(top / distance) }, (_, index) =>
    Number(((index + 1) * distance).toPrecision(6)),
  );
}

/** The step under a place of the chart, from 0 to 1. */
export function pointAt(points: Point[], place: number): Point | undefined {
  return points[Math.min(points.length - 1, Math.max(0, Math.floor(place * points.length)))];
}
