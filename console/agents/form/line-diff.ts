import { diffArrays } from "diff/lib/diff/array.js";

/** A line of two compared texts. `before` and `after`: its numbers in them, from 1. */
export interface DiffRow {
  sign: " " | "+" | "-";
  before: number | undefined;
  after: number | undefined;
  text: string;
}

/** Compares two agent files by their lines. Unchanged lines are those of `after`. */
export function lineDiff(before: string, after: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let [old, now] = [1, 1];
  for (const { value, added, removed } of diffArrays(before.split("\n"), after.split("\n"), {
    comparator: isSameLine,
  })) {
    for (const text of value) {
      if (added) rows.push({ sign: "+", before: undefined, after: now++, text });
      else if (removed) rows.push({ sign: "-", before: old++, after: undefined, text });
      else rows.push({ sign: " ", before: old++, after: now++, text });
    }
  }
  return rows;
}

function isSameLine(one: string, other: string): boolean {
  return withoutComma(one) === withoutComma(other);
}

/** A field that was added after the last one gives that one a comma. That is not a change. */
function withoutComma(line: string): string {
  return line.trimEnd().replace(/,$/, "");
}

/** Positions, from 0, of the lines of `after` that `before` does not have. */
export function changedLines(before: string, after: string): Set<number> {
  return new Set(lineDiff(before, after).flatMap(({ sign, after: line }) => (sign === "+" && line ? [line - 1] : [])));
}
