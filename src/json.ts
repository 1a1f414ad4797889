/** Maximum nesting of external JSON. Recursive code, such as JSON.stringify, fails at thousands of levels. */
export const maxJsonDepth = 100;

/** The index after the bracket that exceeds `maxJsonDepth`; undefined when the text is not nested too deep. */
export function findExcessiveDepth(json: string): number | undefined {
  let levels = 0;
  // Not with a regular expression: it overflows the stack for a string of 1 MB.
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === "]" || character === "}") levels--;
    else if (character === "[" || character === "{") levels++;
    if (levels > maxJsonDepth) return at + 1;
  }
  return undefined;
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

/** Whether a JSON value is an object, not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * JSON of a value with the keys of all objects sorted: equal values have equal texts. Numbers of `parseExact` are compared with all
 * their digits, and not as they are written.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (!isObject(each)) return each;
    if (isRawNumber(each)) return canonicalNumber(each);
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Replaces lone surrogates in all strings of a JSON value. JSON can contain them, UTF-8 cannot. A provider rejects the
 * request and every later one of the conversation. Removes undefined fields, as JSON does.
 */
export function toWellFormed<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null || isRawNumber(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name.toWellFormed(), copy(each)]));
}

/*
 * JavaScript rounds the numbers of JSON to 64 bits and writes them in its own way: 2512292042121000001 becomes
 * 2512292042121000000, and 10.10 becomes 10.1 (earendil-works/pi#8943, modelcontextprotocol/go-sdk#1236). Here, such a number
 * keeps its text: it is a value of `JSON.rawJSON`, which `JSON.stringify` writes as it is.
 */

/** A number whose text `JSON.stringify` would change. */
export interface RawNumber {
  readonly rawJSON: string;
}

type Revive = (key: string, value: unknown, context: { source?: string }) => unknown;

// Node has these since version 22, browsers since 2023 to 2025, TypeScript's library not yet:
// https://tc39.es/proposal-json-parse-with-source/
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse: (text: string, revive: Revive) => unknown;
  rawJSON?: (text: string) => RawNumber;
  isRawJSON?: (value: unknown) => boolean;
};

export function isRawNumber(value: unknown): value is RawNumber {
  return isRawJSON?.(value) === true;
}

/** Whether a JSON text may have a number that `JSON.stringify` writes otherwise. 2^53 has 16 digits. */
export function mayChange(text: string): boolean {
  return /\d{16}|\d[.eE]|(?:^|[\s:,[])-0/.test(text);
}

/**
 * Parses JSON so that `JSON.stringify` writes each number as it was. Throws as `JSON.parse`. `isKept`: whether a number keeps its
 * text. In a browser without `JSON.rawJSON`, none does.
 */
export function parseExact(
  text: string,
  isKept = (source: string, value: number): boolean => String(value) !== source,
): unknown {
  if (!rawJSON || !mayChange(text)) return JSON.parse(text);
  return parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && isKept(source, value) ? rawJSON(source) : value,
  );
}

/** A JSON value with plain numbers, and its text if `JSON.stringify` writes another one. */
export interface PlainJson {
  value: unknown;
  json?: string;
}

/** Without lone surrogates. `exact`: as `parseExact` returns it. */
export function plainJson(exact: unknown): PlainJson {
  const json = JSON.stringify(toWellFormed(exact)) ?? "null";
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === json ? { value } : { value, json };
}

/** The first number of a JSON text that is another number in JavaScript, as it is written. 10.10 and 10.1 are the same. */
export function inexactNumber(text: string): string | undefined {
  let found: string | undefined;
  parseExact(text, (source, value) => {
    if (found === undefined && !isSame(source, value)) found = source;
    return false;
  });
  return found;
}

/** A number in one notation: equal numbers have equal texts. Not rounded: 2^53 + 1 is no number of JavaScript. */
function canonicalNumber(number: RawNumber): number | RawNumber {
  const value = Number(number.rawJSON);
  return isSame(number.rawJSON, value) || !rawJSON ? value : rawJSON(decimalOf(number.rawJSON));
}

function isSame(source: string, value: number): boolean {
  return String(value) === source || (Number.isFinite(value) && decimalOf(String(value)) === decimalOf(source));
}

/** The digits of a JSON number without zeros around them, and their exponent: `101e-1` for 10.10 and 1.01e1. */
function decimalOf(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`;
  let [start, end] = [0, digits.length];
  while (digits[start] === "0") start++;
  while (end > start && digits[end - 1] === "0") end--;
  return start === end ? "0" : `${sign}${digits.slice(start, end)}e${Number(exponent) + whole.length - end}`;
}
