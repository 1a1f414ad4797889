import { isObject, isRawNumber, parseExact, type RawNumber } from "../../../src/json.ts";

/** A result as it is shown. */
export type ResultValue = null | boolean | string | number | RawNumber | ResultValue[] | ResultObject;

export interface ResultObject {
  [name: string]: ResultValue;
}

/** Parses a result. Numbers keep their digits: JavaScript rounds integers over 2^53. Undefined: it is not JSON. */
export function parseResult(text: string): ResultValue | undefined {
  try {
    return parseExact(text) as ResultValue;
  } catch {
    return undefined;
  }
}

export function isResultObject(value: ResultValue | undefined): value is ResultObject {
  return isObject(value) && !isRawNumber(value);
}

export function isNumber(value: ResultValue | undefined): boolean {
  return typeof value === "number" || isRawNumber(value);
}

/** A value as JSON: in one line, or with lines that begin with `indent`. */
export function jsonOf(value: ResultValue, indent?: string): string {
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
