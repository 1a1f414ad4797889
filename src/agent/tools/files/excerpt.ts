import { setImmediate } from "node:timers/promises";
import { countLines, linesOf } from "../../../documents/text-parts.ts";
import { workspaceLimits } from "../definitions.ts";

/** The lines to return. `offset` and `column` are counted from 1; `column` applies to the first line. */
export interface ExcerptRange {
  offset?: number;
  limit?: number;
  column?: number;
}

/**
 * Lines of a text below a heading that says which ones. A note at the end says how to read on. `problem` is an error
 * text for a range outside of the text. `parts`: parts of whole lines.
 */
export async function excerpt(
  name: string,
  parts: Iterable<string>,
  range: ExcerptRange,
): Promise<{ text: string } | { problem: string }> {
  const { offset = 1, column = 1 } = range;
  const { lines, total } = await collectLines(parts, range);
  if (total === 0) return { text: `${name}: empty, 0 lines` };
  const [first] = lines;
  if (first === undefined) {
    return { problem: `offset ${offset} is beyond the end of ${name}: it has ${total} lines.` };
  }
  if (column > Math.max(first.length, 1)) {
    return {
      problem: `column ${column} is beyond the end of line ${offset} of ${name}: it has ${first.length} characters.`,
    };
  }

  const excerptLines = [first.slice(column - 1)];
  let charactersLeft = workspaceLimits.readCharacters - (excerptLines[0]?.length ?? 0);
  for (const line of lines.slice(1)) {
    charactersLeft -= line.length + 1;
    if (charactersLeft < 0) break;
    excerptLines.push(line);
  }
  const last = offset - 1 + excerptLines.length;
  const heading = `${name}: lines ${offset} to ${last} of ${total}`;
  if (excerptLines[0] !== undefined && excerptLines[0].length > workspaceLimits.readCharacters) {
    const head = withoutHalfCharacter(excerptLines[0].slice(0, workspaceLimits.readCharacters));
    const next = column + head.length;
    const how = `continue with offset ${offset} and column ${next}, or with offset ${offset + 1}`;
    return { text: `${heading}\n${head}\n[Line ${offset} is cut: it has ${first.length} characters; ${how}.]` };
  }
  const more = last < total ? `\n[More: continue with offset ${last + 1}.]` : "";
  return { text: `${heading}\n${excerptLines.join("\n")}${more}` };
}

/**
 * The lines of a range, as many as can be returned, and the number of all lines. Other work of the process runs between
 * the parts: a part of 4 MB takes about 10 ms.
 */
async function collectLines(
  parts: Iterable<string>,
  { offset = 1, limit = workspaceLimits.defaultLines, column = 1 }: ExcerptRange,
): Promise<{ lines: string[]; total: number }> {
  const lines: string[] = [];
  let charactersLeft = workspaceLimits.readCharacters + column;
  let total = 0;
  for (const part of parts) {
    if (total > 0) await setImmediate();
    const count = countLines(part);
    const isWanted = total + count >= offset && lines.length < limit && charactersLeft > 0;
    if (isWanted) {
      for (const line of linesOf(part).slice(Math.max(0, offset - 1 - total))) {
        if (lines.length === limit || charactersLeft <= 0) break;
        lines.push(line);
        charactersLeft -= line.length + 1;
      }
    }
    total += count;
  }
  return { lines, total };
}

/** Removes half of a surrogate pair at the end. */
function withoutHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
