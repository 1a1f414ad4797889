import { parseExact } from "../../../src/json.ts";

/** JSON on several lines, and the lines of the texts in it. Other texts as they are. */
export function readable(text: string): string {
  try {
    return JSON.stringify(parseExact(text), null, 2).replaceAll("\\n", "\n");
  } catch {
    return text;
  }
}
