import { formatDollars } from "../format.ts";
import type { RunCounts } from "../api/types.ts";

/** The value of an axis: `$8`, `$0.015`. */
export function axisDollars(value: number): string {
  return value >= 10 || Number.isInteger(value)
    ? `$${value.toLocaleString("en-US")}`
    : `$${Number(value.toPrecision(3))}`;
}

/** The value of an axis: `70`, `20 k`, `1.8 M`. */
export function axisNumber(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toPrecision(3))} M`;
  return value >= 10_000 ? `${Number((value / 1_000).toPrecision(3))} k` : value.toLocaleString("en-US");
}

/** `46 %`. Undefined share: `–`. */
export function percent(share: number | undefined): string {
  return share === undefined ? "–" : `${Math.round(share * 100)} %`;
}

/** `28 technical errors (2.2 %)`. */
export function errorsText(counts: RunCounts | undefined): string {
  if (!counts) return "";
  const { technical_error: errors, complete, ...others } = counts;
  const all = Object.values(others).reduce((sum, count) => sum + count, errors);
  const words = `${errors.toLocaleString("en-US")} technical ${errors === 1 ? "error" : "errors"}`;
  if (!complete) return `${words} in the newest ${all.toLocaleString("en-US")}`;
  return all === 0 ? words : `${words} (${((errors / all) * 100).toFixed(1)} %)`;
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
