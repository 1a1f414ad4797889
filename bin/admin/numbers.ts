import { CliError } from "../cli.ts";

/** The value of an option that takes a whole number from `min` to `max`. */
export function wholeNumber(option: string, text: string, max = 1_000_000, min = 1): number {
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`);
}
