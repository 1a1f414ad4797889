/** The vertical axis of a chart: from 0 to its last tick. */
export interface Scale {
  max: number;
  /** Values of the grid lines, lowest first. */
  ticks: number[];
}

/** Steps that people count in, per power of ten. */
const steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** An axis with `parts` equal parts whose last tick is at or above `max`. Whole numbers need whole ticks. */
export function scaleFor(max: number, { parts = 2, whole = false } = {}): Scale {
  const least = max > 0 ? max / parts : 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const candidates = steps.map((step) => rounded(step * power));
  const accepted = candidates.find((step) => step >= least * (1 - 1e-9) && (!whole || Number.isInteger(step)));
  const step = accepted ?? Math.max(1, rounded(10 * power));
  return { max: rounded(step * parts), ticks: Array.from({ length: parts + 1 }, (_, index) => rounded(step * index)) };
}

/** Without the last bits of a binary fraction. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

/** Positions of the labels below `count` bars so that each has `least` of the units that a bar is `width` wide. */
export function labelledBars(count: number, width: number, least: number): Set<number> {
  const every = Math.max(1, Math.ceil(least / width));
  const positions = Array.from({ length: count }, (_, index) => count - 1 - index);
  return new Set(positions.filter((position) => (count - 1 - position) % every === 0));
}

/** A piece of a stacked bar, in units of the axis. */
export interface Piece {
  series: number;
  from: number;
  to: number;
}

/** Stacks the values of one bar, first series at the bottom. Empty pieces are left out. */
export function stacked(values: readonly number[]): Piece[] {
  let from = 0;
  return values.flatMap((value, series) => {
    const piece = { series, from, to: from + value };
    from = piece.to;
    return value > 0 ? piece : [];
  });
}
