import { diffArrays } from "diff/lib/diff/array.js";
import { diffLines } from "diff/lib/diff/line.js";

/** A line of a difference. `before`, `after`: its numbers in the two texts, from 1. */
export interface DiffLine {
  sign: " " | "+" | "-";
  before?: number;
  after?: number;
  text: string;
}

/** Unchanged lines that are folded. */
export interface FoldedLines {
  sign: "fold";
  lines: number;
}

export interface LineDiff {
  rows: (DiffLine | FoldedLines)[];
  added: number;
  removed: number;
}

/** Unchanged lines that are shown before and after a change. */
const context = 3;

/** A difference that needs longer is not shown. Milliseconds. */
const timeout = 1_500;

/** The difference of two texts by lines, which `isSame` may compare. Undefined: it takes too long. */
export function lineDiff(
  before: string,
  after: string,
  isSame?: (one: string, other: string) => boolean,
): LineDiff | undefined {
  const changes = isSame
    ? diffArrays(linesOf(before), linesOf(after), { timeout, comparator: isSame })
    : diffLines(before, after, { timeout });
  if (!changes) return undefined;
  const lines: DiffLine[] = [];
  let old = 1;
  let now = 1;
  for (const change of changes) {
    for (const text of Array.isArray(change.value) ? change.value : linesOf(change.value)) {
      if (change.added) lines.push({ sign: "+", after: now++, text });
      else if (change.removed) lines.push({ sign: "-", before: old++, text });
      else lines.push({ sign: " ", before: old++, after: now++, text });
    }
  }
  const added = lines.filter(({ sign }) => sign === "+").length;
  const removed = lines.filter(({ sign }) => sign === "-").length;
  return { rows: folded(lines), added, removed };
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Folds unchanged lines that are not near a change. */
function folded(lines: DiffLine[]): LineDiff["rows"] {
  const shown = new Set<number>();
  lines.forEach(({ sign }, index) => {
    if (sign === " ") return;
    for (let near = index - context; near <= index + context; near++) shown.add(near);
  });
  const rows: LineDiff["rows"] = [];
  lines.forEach((line, index) => {
    const last = rows.at(-1);
    if (shown.has(index)) rows.push(line);
    else if (last?.sign === "fold") last.lines++;
    else rows.push({ sign: "fold", lines: 1 });
  });
  return rows;
}
