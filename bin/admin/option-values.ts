import type { Access, OperatorRole } from "../../src/accounts/account-types.ts";
import type { Schema } from "../../src/json-schema.ts";
import { CliError } from "../cli.ts";

/**
 * The value of an option, as the schema of its parameter takes it. A text that does not fit stays one, so that the validators of
 * the API say what is accepted. `none` is null, or an empty list.
 */
export function typedValue(field: string, schema: Schema, value: string | string[] | true): unknown {
  const types = new Set<unknown>([schema.type].flat());
  if (types.has("null") && [value].flat().join() === "none") return null;
  if (types.has("array")) return listOf((schema["items"] ?? {}) as Schema, [value].flat() as string[]);
  if (typeof value !== "string") return value;
  if (field === "expires_in") return secondsIn(value) ?? value;
  if (types.has("integer") || types.has("number")) return numberOrText(value);
  if (types.has("object")) return Object.fromEntries(value.split(",").map((pair) => settingIn(schema, pair)));
  return schema["format"] === "date-time" ? timeOption(field, value) : value;
}

/** Values with a comma between them are several where none can contain one. */
function listOf({ pattern, ...items }: Schema, given: string[]): string[] {
  if (given.length === 1 && given[0] === "none") return [];
  const separates = "enum" in items || items["format"] === "uuid" || String(pattern).endsWith("$");
  return separates ? given.flatMap((text) => text.split(",").map((each) => each.trim())) : given;
}

/** A number, or the text, of which the validators of the API say what is accepted. */
export function numberOrText(text: string): number | string {
  return numberIn(text) ?? text;
}

function numberIn(text: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/** A setting of an object, such as `supportsStreaming=false`. */
function settingIn(schema: Schema, pair: string): [name: string, value: unknown] {
  const [, name = pair, text = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
  const { enum: values = [] } = ((schema["properties"] ?? {}) as Record<string, { enum?: unknown[] }>)[name] ?? {};
  return [name, values.find((value) => String(value) === text) ?? text];
}

/** RFC 3339 of a date, which begins at midnight UTC, of a time without seconds, or, for an end, of days from now (`90d`). */
export function timeOption(field: string, text: string): string {
  const [, days] = (field === "expires_at" && /^(\d{1,4})d$/.exec(text)) || [];
  if (days !== undefined) return new Date(Date.now() + Number(days) * day).toISOString();
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) || /T.*:.*:/.test(text) ? text : new Date(time).toISOString();
}

const unitSeconds: Record<string, number> = { m: 60, h: 3_600, d: 86_400 };

/** Seconds, or a time such as 90m, 1h or 7d. */
function secondsIn(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([mhd]?)$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitSeconds[unit ?? ""] ?? 1);
}

const day = 86_400_000;

/** `--organization`, for `accessOption`. */
export const organizationOption = [
  "--organization <ID[=ROLE]>",
  "limit the role to an organization; repeatable, each with its own role (default: all organizations)",
  repeatedOption,
] as const;

/** For an option that can be repeated. */
export function repeatedOption(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** The values of `--organization`, such as an id with the role of `--role`, or `ID=viewer`. */
export function accessOption(role: OperatorRole, organizations: string[] = []): Access {
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

/** Parses a pair, such as `customer=4711`. */
export function pairOf(option: string, text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new CliError(`${option} is ${JSON.stringify(text)}; expected KEY=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}
