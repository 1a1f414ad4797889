import { setImmediate } from "node:timers/promises";
import { linesOf } from "../../../documents/text-parts.ts";
import { workspaceLimits } from "../definitions.ts";
import { isFoldable } from "../../../documents/encoding/fold-text.ts";
import type { LineFinder } from "./line-finder.ts";

/** A line that matches. `place`: of a document, such as `page 3`. */
export interface MatchingLine {
  line: number;
  place?: string;
  /** At most 300 characters around the match. Of a match over the end of a line, the lines are joined. */
  text: string;
  /** What the match needed. */
  needed?: "folding" | "joining";
}

/** A text to search. */
export interface SearchedLines {
  /** Parts of whole lines. */
  parts: Iterable<string>;
  isAscii: boolean;
  /** Lines end where the page does, so phrases are found over their ends. */
  isWrapped?: boolean;
  placeOf?: (line: string) => string | undefined;
}

/** The server answers other requests at least this often during a search. */
const sliceMilliseconds = 20;
/** Lines over which a phrase is found, and characters above which a line is not one of a wrapped text. */
const [joinedLines, maxWrappedCharacters] = [3, 1_000];

/** Yields each line that matches, in order. */
export async function* matchingLines(
  { parts, isAscii, isWrapped = false, placeOf }: SearchedLines,
  finder: LineFinder,
  signal: AbortSignal,
): AsyncGenerator<MatchingLine> {
  const partLength = workspaceLimits.searchPartCharacters;
  let sliceEnd = Date.now() + sliceMilliseconds;
  let number = 0;
  for (const part of parts) {
    const isPlain = isAscii || !isFoldable(part);
    const lines = linesOf(part);
    for (let index = 0; index < lines.length; index++) {
      const ended = lines[index] ?? "";
      const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
      const place = placeOf?.(line);
      number++;
      let match: Shown | undefined;
      for (let start = 0; start === 0 || (!match && start < line.length); start += partLength) {
        if (Date.now() > sliceEnd) {
          await setImmediate();
          signal.throwIfAborted();
          sliceEnd = Date.now() + sliceMilliseconds;
        }
        const found = finder.find(line.length > partLength ? line.slice(start, start + partLength) : line, isPlain);
        if (found) match = shown(line, start + found.at, found.isFolded ? "folding" : undefined);
      }
      if (!match && isWrapped) match = matchOver(lines, index, finder);
      if (match) yield { line: number, ...(place !== undefined && { place }), ...match };
    }
  }
}

type Shown = Pick<MatchingLine, "text" | "needed">;

function shown(text: string, at: number, needed?: MatchingLine["needed"]): Shown {
  const from = Math.max(0, Math.min(at - 100, text.length - 300));
  return { text: text.slice(from, from + 300), ...(needed !== undefined && { needed }) };
}

/** A phrase that begins in a line and ends in one of those that follow, until an empty or a very long one. */
function matchOver(lines: string[], index: number, { findOver }: LineFinder): Shown | undefined {
  if (!findOver) return undefined;
  const joined = lines.slice(index, index + joinedLines);
  const end = joined.findIndex((line) => line.trim() === "" || line.length > maxWrappedCharacters);
  const following = end < 0 ? joined : joined.slice(0, end);
  const over = following.length < 2 ? undefined : findOver(following);
  return over && shown(over.text, over.at, "joining");
}
