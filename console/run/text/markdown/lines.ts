import type { Align } from "./nodes.ts";

/** An item of a list: its bullet, or its number and the mark behind it. */
export const marker = /^[ \t]*(?:([-*+])|(\d{1,9})([.)]))(?:[ \t]+|$)/;
export const heading = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
export const quote = /^[ \t]*> ?/;

/** Whether a line is empty, or has only white space. */
export function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** Indented as code. */
export function isIndented(line: string): boolean {
  return indentOf(line) >= 4;
}

/** A line of three or more of a mark. */
export function isRule(line: string): boolean {
  return /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replace(/[ \t]/g, ""));
}

/** Lists whose items have different kinds are different lists: the bullet, or the mark behind the number. */
export function kindOf(line: string): string | undefined {
  const [, bullet, , mark] = marker.exec(line) ?? [];
  return isRule(line) ? undefined : (bullet ?? mark);
}

/** Whether a line begins a block that is no paragraph, as far as the line alone says. */
export function startsBlock(line: string): boolean {
  return (
    fenceAfter(undefined, line) !== undefined ||
    heading.test(line) ||
    quote.test(line) ||
    marker.test(line) ||
    isRule(line)
  );
}

/** A line such as "1986. A great year" and a lone mark continue a paragraph. */
export function interruptsParagraph(line: string): boolean {
  const [start, , number] = marker.exec(line) ?? [];
  if (start !== undefined && !isRule(line)) return start.length < line.length && Number(number ?? 1) === 1;
  return startsBlock(line);
}

/** Whether a line that is not indented continues the paragraph of the line before it. */
export function continues(before: string, line: string): boolean {
  return !isBlank(before) && !isBlank(line) && !startsBlock(before) && !startsBlock(line);
}

/** The fence that is open after a line, if `open` is open before it. */
export function fenceAfter(open: string | undefined, line: string): string | undefined {
  const [, marks = "", info = ""] = /^[ \t]*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (open === undefined) return marks === "" || (marks.startsWith("`") && info.includes("`")) ? undefined : marks;
  return marks.startsWith(open) && isBlank(info) ? undefined : open;
}

/** Columns before the first character. */
export function indentOf(line: string): number {
  let columns = 0;
  for (let at = 0; line[at] === " " || line[at] === "\t"; at++) columns += line[at] === "\t" ? 4 - (columns % 4) : 1;
  return columns;
}

/** A line without its first columns, as far as they are blank. */
export function dedent(line: string, columns: number): string {
  let [at, column] = [0, 0];
  for (; column < columns && (line[at] === " " || line[at] === "\t"); at++) {
    column += line[at] === "\t" ? 4 - (column % 4) : 1;
  }
  return " ".repeat(Math.max(0, column - columns)) + line.slice(at);
}

/** The cells of a table's row. A pipe in a cell is escaped, also in code. */
export function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .split(/(?<!\\)\|/);
  if (cells.at(-1) === "") cells.pop();
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** How the cells below a cell of dashes and colons are aligned. */
export function alignOf(cell: string): Align {
  if (!cell.endsWith(":")) return cell.startsWith(":") ? "left" : undefined;
  return cell.startsWith(":") ? "center" : "right";
}
