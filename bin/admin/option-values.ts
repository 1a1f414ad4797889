import { CliError } from "../cli.ts";

/** The value of an option that takes a whole number from `min` to `max`. */
export function wholeNumber(option: string, text: string, max = 1_000_000, min = 1): number {
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`);
}

/** The value of an option that takes a time in ISO 8601, in milliseconds since 1970. A date begins at midnight UTC. */
export function timeOf(option: string, text: string): number {
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected a time such as 2026-11-01 or 2026-11-01T08:00Z`);
}
