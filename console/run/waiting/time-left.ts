/** Milliseconds before its end from which on a wait is marked. */
const soonMs = 15 * 60_000;

const moment = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** `23 Nov 14:02`. `at`: RFC 3339. */
export function untilText(at: string): string {
  return moment.format(Date.parse(at)).replace(",", "");
}

/** `6 d 23 h`, `23 h 58 m`, `12 min`, `under 1 min`: the time that is left. Milliseconds. */
export function leftText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "under 1 min";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, "0")} m`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function isSoon(milliseconds: number): boolean {
  return milliseconds < soonMs;
}
