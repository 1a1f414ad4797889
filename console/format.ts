/** Numbers, durations and times as the console shows them. Times are milliseconds since 1970. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** `1,275`. From a million on `4.2 M`, `27.7 M`, `222 M`, `1.2 B`: a column of tokens has room for eight characters. */
export function formatNumber(value: number): string {
  if (value < 1_000_000) return whole.format(value);
  const millions = value / 1_000_000;
  return millions < 999.5 ? `${short(millions)} M` : `${short(millions / 1_000)} B`;
}

/** `4.2`, `99.9`, `100`. */
function short(value: number): string {
  return value < 99.95 ? value.toFixed(1) : whole.format(value);
}

/** `$0.171` below ten dollars, `$12.40` above. `digits`: fixed decimals, such as 4 for a step. */
export function formatDollars(value: number, digits: number = value < 10 ? 3 : 2): string {
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** `38 ms`, `0.8 s`, `31 s`, `6 m 02 s`, `2 h 05 m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 19_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${twoDigits(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} m`;
}

/** A duration in a list: `38 ms`, `0.8 s`, then whole seconds: `17 s`, `6 m 02 s`. `live`: it grows, so never less. */
export function formatElapsed(milliseconds: number, live = false): string {
  if (live) return formatDuration(Math.max(1_000, Math.floor(milliseconds / 1_000) * 1_000)).replace(".0 s", " s");
  return milliseconds < 1_000
    ? formatDuration(milliseconds)
    : formatDuration(Math.round(milliseconds / 1_000) * 1_000).replace(".0 s", " s");
}

/** `212 KiB`, `1.4 MiB`, `50 GiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const power = bytes < 1_024 ** 2 ? 1 : bytes < 1_024 ** 3 ? 2 : 3;
  const [value, unit] = [bytes / 1_024 ** power, ["", "KiB", "MiB", "GiB"][power]];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `now`, `4 min ago`, `3 h ago`; after a day the date. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1_000);
  if (seconds < 30) return "now";
  const minutes = Math.max(1, Math.floor(seconds / 60));
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return formatDate(at);
}

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** `21 Nov 2026`. */
function formatDate(at: number): string {
  return date.format(at);
}

/** `14:01:07`. */
export function formatClock(at: number): string {
  return clock.format(at);
}

/** `14:01:07.914`. */
export function formatClockMs(at: number): string {
  return `${formatClock(at)}.${String(at % 1_000).padStart(3, "0")}`;
}

/** `21 Nov 2026, 14:01:07.914 CET`. `at`: RFC 3339. */
export function formatDateTime(at: string): string {
  const time = Date.parse(at);
  const name = zone.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return `${formatDate(time)}, ${formatClockMs(time)} ${name}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** A few characters of a run's id. Ids begin with the time, so those of a minute differ at the end. */
export const shortRunId = (id: string): string => `…${id.slice(-8)}`;
