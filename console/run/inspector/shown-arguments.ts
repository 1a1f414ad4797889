import { parseExact } from "../../../src/json.ts";
import { parseObject } from "../model/telling-argument.ts";

/** One argument of a tool call, as it is shown. */
export interface ShownArgument {
  name: string;
  text: string;
  /** A program, or a text with line breaks, shown in its own box. */
  block: boolean;
}

/** Arguments with programs, which are always blocks. */
const programNames: ReadonlySet<string> = new Set(["script", "code"]);

/** Longest text that is shown beside its name. */
const longestInline = 60;

/** The arguments of a call as texts: strings with their line breaks, everything else as JSON. Undefined: not an object. */
export function shownArguments(json: string): ShownArgument[] | undefined {
  const parsed = parseObject(json);
  return (
    parsed &&
    Object.entries(parsed).map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
      return { name, text, block: programNames.has(name) || text.includes("\n") || text.length > longestInline };
    })
  );
}

/** JSON with indentation. A text that is not JSON stays as it is. */
export function indented(json: string): string {
  try {
    return JSON.stringify(parseExact(json), undefined, 2);
  } catch {
    return json;
  }
}
