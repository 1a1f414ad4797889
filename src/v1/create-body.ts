import { setImmediate } from "node:timers/promises";
import type { CreateBody } from "./contract.ts";
import { withExactIntegers } from "../http/validation/exact-integers.ts";
import type { Issues } from "../http/validation/issue.ts";
import { parseJsonBody, textOf, withoutByteOrderMark, isLong } from "../http/validation/parse-json.ts";
import { validateCreate } from "./public-requests.ts";

/** Parses and validates the body of a create.  */
export async function parseCreateBody(
  raw: string | Uint8Array,
  contentType?: string,
): Promise<{ value: CreateBody } | Issues> {
  const parsed = await parseJsonBody(raw, contentType);
  if ("issues" in parsed) return parsed;
  const checked = validateCreate(parsed.value);
  if (!("issues" in checked)) return checked;
  const text = withoutByteOrderMark(textOf(raw));
  if (isLong(text)) await setImmediate();
  return withExactIntegers(checked, text);
}
