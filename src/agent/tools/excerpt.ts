import { workspaceLimits } from "./definitions.ts";

/**
 * Some lines of a text, below a heading that says which, and a note how to go on when there is more. `offset` and
 * `column` count from 1; `problem` is a sentence when they are beyond the text.
 */
export function excerpt(
  name: string,
  text: string,
  {
    offset = 1,
    limit = workspaceLimits.defaultLines,
    column = 1,
  }: { offset?: number; limit?: number; column?: number },
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

  const shown = [first.slice(column - 1)];
  let left = workspaceLimits.readCharacters - (shown[0]?.length ?? 0);
  for (const line of lines.slice(offset, offset - 1 + limit)) {
    left -= line.length + 1;
    if (left < 0) break;
    shown.push(line);
  }
  const last = offset - 1 + shown.length;
  const heading = `${name}: lines ${offset} to ${last} of ${lines.length}`;
  if (shown[0] !== undefined && shown[0].length > workspaceLimits.readCharacters) {
    const head = wholeCharacters(shown[0].slice(0, workspaceLimits.readCharacters));
    const next = column + head.length;
    const how = `continue with offset ${offset} and column ${next}, or with offset ${offset + 1}`;
    return { text: `${heading}\n${head}\n[Line ${offset} is cut: it has ${first.length} characters; ${how}.]` };
  }
  const more = last < lines.length ? `\n[More: continue with offset ${last + 1}.]` : "";
  return { text: `${heading}\n${shown.join("\n")}${more}` };
}

/** Without half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
