import { type Issues, maxEcho, type ValidationIssue } from "./issues.ts";

/** Digits from which on a number of JavaScript may not hold an integer exactly (2^53 has 16). */
const manyDigits = /\d{16}/;
const integer = /^-?\d{16,}$/;

// Of Node since 22, but not of TypeScript's library: https://tc39.es/proposal-json-parse-with-source/
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
  rawJSON: (text: string) => unknown;
};

/** The issues of a JSON text, their inputs with the digits that were sent: parsed, 2^60 + 1 has become another number. */
export function withExactIntegers({ issues }: Issues, text: string): Issues {
  if (!manyDigits.test(text)) return { issues };
  let body: unknown;
  try {
    body = parse(text, (_, value, { source = "" }) => (integer.test(source) ? rawJSON(source) : value));
  } catch {
    return { issues }; // nested too deep for a reviver, which works by recursion
  }
  return { issues: issues.map((one) => ("input" in one ? withInput(one, body) : one)) };
}

function withInput({ type, loc, msg, ctx }: ValidationIssue, body: unknown): ValidationIssue {
  // What misses a field is the input; what stands at the place is it otherwise.
  const path = loc.slice(1, type === "missing" ? loc.length - 1 : loc.length);
  const input = path.reduce((value, part) => (value as Record<string | number, unknown>)[part], body);
  const isShort = [...JSON.stringify(input)].length <= maxEcho;
  return { type, loc, msg, ...(isShort && { input }), ...(ctx && { ctx }) };
}
