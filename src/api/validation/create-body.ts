import type { CreateInput } from "../../runs/create-run.ts";
import { withExactIntegers } from "./exact-integers.ts";
import { type Issues, validateCreate } from "./issues.ts";
import { parseJsonBody, textOf, withoutByteOrderMark } from "./parse-json.ts";

/** Parses and validates the body of a create. The only place where a request body is parsed. */
export function parseCreateBody(raw: string | Uint8Array, contentType?: string): { value: CreateInput } | Issues {
  const parsed = parseJsonBody(raw, contentType);
  if ("issues" in parsed) return parsed;
  const checked = validateCreate(parsed.value);
  return "issues" in checked ? withExactIntegers(checked, withoutByteOrderMark(textOf(raw))) : checked;
}
