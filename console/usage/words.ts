import { formatDollars, formatNumber } from "../format.ts";

/** The value of an axis: `$8`, `$0.015`, `0.5¢`, `$12 k`. Six characters at most, which is what its margin has room for. */
export function axisDollars(value: number): string {
  if (value > 0 && value < 0.01) return `${Number((value * 100).toPrecision(2))}¢`;
  return `$${axisNumber(value)}`;
}

/** The value of an axis: `70`, `2.5`, `20 k`, `1.8 M`, `2 B`. */
export function axisNumber(value: number): string {
  const [, unit, name] = axisUnits.find(([least]) => value >= least) ?? [];
  if (unit !== undefined) return `${Number((value / unit).toPrecision(3))} ${name}`;
  return value >= 1_000 ? value.toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}

/** A thousand is `1,000`: the unit begins at ten of them. */
const axisUnits: [least: number, unit: number, name: string][] = [
  [1_000_000_000, 1_000_000_000, "B"],
  [1_000_000, 1_000_000, "M"],
  [10_000, 1_000, "k"],
];

/** `46 %`. Undefined share: `–`. */
export function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${Math.round(share * 100)} %`;
}

/** `28 technical errors (2.2 %)`. */
export function errorsText(errors: number, runs: number): string {
  const words = `${formatNumber(errors)} technical ${errors === 1 ? "error" : "errors"}`;
  return runs === 0 ? words : `${words} (${((errors / runs) * 100).toFixed(1)} %)`;
}

/** `88.9 M tokens of 3 agents have no price`. */
export function unpricedText(tokens: number, series: number, grouping: "agent" | "model"): string {
  const of = `${formatNumber(series)} ${grouping}${series === 1 ? "" : "s"}`;
  return `${formatNumber(tokens)} tokens of ${of} have no price`;
}

/** `+12 % on the 14 days before`. Undefined: nothing to compare with. */
export function changeText(now: number, before: number, days: number): string | undefined {
  if (before <= 0) return undefined;
  const change = Math.round((now / before - 1) * 100);
  return `${change > 0 ? "+" : change < 0 ? "−" : "±"}${Math.abs(change)} % on the ${days} days before`;
}

/** `90 % of $12.00`. */
export function budgetText(spent: number, budget: number): string {
  return `${Math.round((spent / budget) * 100)} % of ${formatDollars(budget, 2)}`;
}
