import type { Access, OperatorRole } from "../../src/accounts/types.ts";
import { CliError } from "../cli.ts";

/** The most that a list prints. */
export const maxListed = 1000;

/** The value of an option that takes a whole number from `min` to `max`. */
export function wholeNumber(option: string, text: string, max = 1_000_000, min = 1): number {
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected a whole number from ${min} to ${max}`);
}

/**
 * The value of an option that takes a time in ISO 8601, in milliseconds since 1970. A date begins at midnight UTC. `also`:
 * what else the option takes, for the error.
 */
export function timeOf(option: string, text: string, also = ""): number {
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new CliError(
    `${option} is ${JSON.stringify(text)}; expected ${also}a time such as 2026-11-01 or 2026-11-01T08:00Z`,
  );
}

export const expiresOption = "when it ends, such as 90d or 2026-11-01 (default: never)";

const day = 86_400_000;

/** The value of `--expires`: days from now, such as 90d, or a time. */
export function expiryOf(text: string): number {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  if (days !== undefined) return Date.now() + Number(days) * day;
  return timeOf("--expires", text, "days such as 90d, or ");
}

/** The value of an option that takes a turn and a step of it. `more`: what else the error says. */
export function turnStepOf(option: string, text: string, more = ""): { turn: number; step: number } {
  const [, turn, step] = /^(\d{1,9})\.(\d{1,9})$/.exec(text) ?? [];
  if (turn !== undefined && step !== undefined) return { turn: Number(turn), step: Number(step) };
  throw new CliError(`${option} is ${JSON.stringify(text)}; expected TURN.STEP, such as 1.3${more}`);
}

/** `--organization`, for `accessOf`. */
export const organizationOption = [
  "--organization <ID[=ROLE]>",
  "limit the role to an organization; can be repeated, with another role each (default: all organizations)",
  repeated,
  [] as string[],
] as const;

/** For an option that can be repeated. */
export function repeated(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** The values of `--organization`, such as an id with the role of `--role`, or `ID=viewer`. */
export function accessOf(role: OperatorRole, organizations: string[]): Access {
  if (organizations.length === 0) return { role };
  return {
    organizations: organizations.map((text) => {
      const [, id = text, own] = /^(.*)=(.*)$/s.exec(text) ?? [];
      if (own === undefined) return { id, role };
      if (own === "operator" || own === "viewer") return { id, role: own };
      throw new CliError(`--organization is ${JSON.stringify(text)}; expected ID, ID=operator or ID=viewer`);
    }),
  };
}

/** The value of `--role`. */
export function roleOf(text: string): OperatorRole {
  if (text === "operator" || text === "viewer") return text;
  throw new CliError(`--role is ${JSON.stringify(text)}; expected operator or viewer`);
}

/** Parses a label, such as `customer=4711`. */
export function labelOf(option: string, text: string): { name: string; value: string } {
  const at = text.indexOf("=");
  if (at < 1) throw new CliError(`${option} is ${JSON.stringify(text)}; expected KEY=VALUE`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** Parses a comma-separated list of known values. */
export function valuesOf<Value extends string>(option: string, text: string, known: readonly Value[]): Value[] {
  return text.split(",").map((each) => {
    const value = known.find((one) => one === each.trim());
    if (value !== undefined) return value;
    throw new CliError(
      `${option} is ${JSON.stringify(text)}; expected one or more of ${known.join(", ")}, with commas`,
    );
  });
}
