import type { CheckedResult } from "../../agent/turn/journal.ts";
import { parseExact } from "../../json.ts";

/** Whether an output is a result that fits the schema of its turn. `checked`: undefined without a schema. */
export function fitsSchema(checked: CheckedResult | undefined): boolean {
  return checked !== undefined && !checked.problems;
}

/** An output as JSON, whose numbers keep their digits, if it is a result that fits. Otherwise null. */
export function resultOf(
  checked: CheckedResult | undefined,
  output: string | undefined,
): Record<string, unknown> | null {
  if (output === undefined || !fitsSchema(checked)) return null;
  return parseExact(output) as Record<string, unknown>; // schemas accept only objects
}
