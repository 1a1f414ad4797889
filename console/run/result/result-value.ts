/** A number with the digits that the model wrote. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A result as it is shown. */
export type ResultValue = null | boolean | string | NumberText | ResultValue[] | ResultObject;

export interface ResultObject {
  [name: string]: ResultValue;
}

// Browsers have this since 2023 to 2025, TypeScript's library does not: https://tc39.es/proposal-json-parse-with-source/
const parse = JSON.parse as (
  text: string,
  revive: (name: string, value: unknown, context?: { source?: string }) => unknown,
) => unknown;

/** Parses a result. Numbers keep their digits: JavaScript rounds integers over 2^53. Undefined: it is not JSON. */
export function parseResult(text: string): ResultValue | undefined {
  try {
    return parse(text, (_, value, context) =>
      typeof value === "number" ? new NumberText(context?.source ?? String(value)) : value,
    ) as ResultValue;
  } catch {
    return undefined;
  }
}

export function isResultObject(value: ResultValue | undefined): value is ResultObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}

/** A value as JSON: in one line, or with lines that begin with `indent`. */
export function jsonOf(value: ResultValue, indent?: string): string {
  if (value instanceof NumberText) return value.text;
  const isList = Array.isArray(value);
  if (!isList && !isResultObject(value)) return JSON.stringify(value);
  const inner = indent === undefined ? undefined : `${indent}  `;
  const parts = isList
    ? value.map((each) => jsonOf(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${jsonOf(each, inner)}`);
  const [open, close] = isList ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  if (inner === undefined) return `${open}${parts.join(", ")}${close}`;
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(",\n")}\n${indent}${close}`;
}
