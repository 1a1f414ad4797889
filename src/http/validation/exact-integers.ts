import { parseExact } from "../../json.ts";
import { type Issues, maxEchoLength, type ValidationIssue } from "./issue.ts";

/*
 * FastAPI echoes integers with all their digits. JSON.parse rounds those over 2^53: an issue would show 9007199254740992
 * to a client that sent 9007199254740993.
 */

const longInteger = /^-?\d{16,}$/;

/** The issues of a JSON text, with the digits that were sent in their inputs. */
export function withExactIntegers({ issues }: Issues, text: string): Issues {
  if (!/\d{16}/.test(text)) return { issues }; // 2^53 has 16 digits
  const body = parseExact(text, (source) => longInteger.test(source));
  return { issues: issues.map((one) => ("input" in one ? withInput(one, body) : one)) };
}

function withInput({ type, loc, msg, ctx }: ValidationIssue, body: unknown): ValidationIssue {
  // The input of a missing field is the object that lacks it.
  const path = loc.slice(1, type === "missing" ? loc.length - 1 : loc.length);
  const input = path.reduce((value, part) => (value as Record<string | number, unknown>)[part], body);
  const isShort = [...JSON.stringify(input)].length <= maxEchoLength;
  return { type, loc, msg, ...(isShort && { input }), ...(ctx && { ctx }) };
}
