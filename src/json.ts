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

/** JSON of a value with the keys of all objects sorted: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
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
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name.toWellFormed(), copy(each)]));
}

// Node has these since version 22, TypeScript's library does not: https://tc39.es/proposal-json-parse-with-source/
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
  rawJSON: (text: string) => unknown;
};

const longInteger = /^-?\d{16,}$/;

/** Whether a JSON text can hold an integer that JavaScript rounds: 2^53 has 16 digits. */
export function hasLongNumbers(text: string): boolean {
  return /\d{16}/.test(text);
}

/** Parses JSON so that `JSON.stringify` writes each integer with the digits that it had. Throws as `JSON.parse`. */
export function parseExact(text: string): unknown {
  if (!hasLongNumbers(text)) return JSON.parse(text);
  return parse(text, (_, value, { source = "" }) => (longInteger.test(source) ? rawJSON(source) : value));
}
