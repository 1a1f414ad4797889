import { type Issues, maxEchoLength, type ValidationIssue } from "./issue.ts";

/*
 * FastAPI echoes integers with all their digits. JSON.parse rounds those over 2^53: an issue would show 9007199254740992
 * to a client that sent 9007199254740993.
 */

/** JSON can hold an integer that JavaScript rounds: 2^53 has 16 digits. */
const manyDigits = /\d{16}/;
const integer = /^-?\d{16,}$/;

// Node has these since version 22, TypeScript's library does not: https://tc39.es/proposal-json-parse-with-source/
const { parse, rawJSON } = JSON as unknown as {
  parse: (text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;
  rawJSON: (text: string) => unknown;
};

/** The issues of a JSON text, with the digits that were sent in their inputs. */
export function withExactIntegers({ issues }: Issues, text: string): Issues {
  if (!manyDigits.test(text)) return { issues };
  const body = parse(text, (_, value, { source = "" }) => (integer.test(source) ? rawJSON(source) : value));
  return { issues: issues.map((one) => ("input" in one ? withInput(one, body) : one)) };
}

function withInput({ type, loc, msg, ctx }: ValidationIssue, body: unknown): ValidationIssue {
  // The input of a missing field is the object that lacks it.
  const path = loc.slice(1, type === "missing" ? loc.length - 1 : loc.length);
  const input = path.reduce((value, part) => (value as Record<string | number, unknown>)[part], body);
  const isShort = [...JSON.stringify(input)].length <= maxEchoLength;
  return { type, loc, msg, ...(isShort && { input }), ...(ctx && { ctx }) };
}
