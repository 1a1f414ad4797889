import { workspaceLimits } from "./definitions.ts";

/** The lines to return. `offset` and `column` are counted from 1; `column` applies to the first line. */
export interface ExcerptRange {
  offset?: number;
  limit?: number;
  column?: number;
}

/**
 * Lines of a text below a heading that says which ones. A note at the end says how to read on. `problem` is an error
 * text for a range outside of the text.
 */
export function excerpt(
  name: string,
  text: string,
  { offset = 1, limit = workspaceLimits.defaultLines, column = 1 }: ExcerptRange,
): { text: string } | { problem: string } {
  if (text === "") return { text: `${name}: empty, 0 lines` };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const first = lines[offset - 1];
  if (first === undefined) {
    return { problem: `offset ${offset} is beyond the end of ${name}: it has ${lines.length} lines.` };
  }
  if (column > Math.max(first.length, 1)) {
    return {
      problem: `column ${column} is beyond the end of line ${offset} of ${name}: it has ${first.length} characters.`,
    };
  }

  const excerptLines = [first.slice(column - 1)];
  let charactersLeft = workspaceLimits.readCharacters - (excerptLines[0]?.length ?? 0);
  for (const line of lines.slice(offset, offset - 1 + limit)) {
    charactersLeft -= line.length + 1;
    if (charactersLeft < 0) break;
    excerptLines.push(line);
  }
  const last = offset - 1 + excerptLines.length;
  const heading = `${name}: lines ${offset} to ${last} of ${lines.length}`;
  if (excerptLines[0] !== undefined && excerptLines[0].length > workspaceLimits.readCharacters) {
    const head = withoutHalfCharacter(excerptLines[0].slice(0, workspaceLimits.readCharacters));
    const next = column + head.length;
    const how = `continue with offset ${offset} and column ${next}, or with offset ${offset + 1}`;
    return { text: `${heading}\n${head}\n[Line ${offset} is cut: it has ${first.length} characters; ${how}.]` };
  }
  const more = last < lines.length ? `\n[More: continue with offset ${last + 1}.]` : "";
  return { text: `${heading}\n${excerptLines.join("\n")}${more}` };
}

/** Removes half of a surrogate pair at the end. */
function withoutHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
