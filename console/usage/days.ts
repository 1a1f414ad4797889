const day = 86_400_000;

/** The last `count` UTC days up to `now`, oldest first: `2026-11-22`. */
export function lastDays(count: number, now: Date): string[] {
  const today = Date.parse(dayOf(now));
  return Array.from({ length: count }, (_, index) => dayOf(new Date(today - (count - 1 - index) * day)));
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The day `count` days earlier. */
export function daysBefore(of: string, count: number): string {
  return dayOf(new Date(Date.parse(of) - count * day));
}

/** `Nov 22`. */
export function shortDay(of: string): string {
  return new Date(of).toLocaleDateString("en-US", { month: "short", day: "numeric", timeZone: "UTC" });
}
