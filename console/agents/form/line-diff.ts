import { type LineDiff, lineDiff } from "../../run/text/line-diff.ts";

/** Compares two agent files by their lines. Unchanged lines are those of `after`. Undefined: it takes too long. */
export function fileDiff(before: string, after: string): LineDiff | undefined {
  return lineDiff(before, after, (one, other) => withoutComma(one) === withoutComma(other));
}

/** A field that was added after the last one gives that one a comma. That is not a change. */
function withoutComma(line: string): string {
  return line.trimEnd().replace(/,$/, "");
}

/** Positions, from 0, of the lines of `after` that `before` does not have. */
export function changedLines(before: string, after: string): Set<number> {
  const rows = fileDiff(before, after)?.rows ?? [];
  return new Set(rows.flatMap((row) => (row.sign === "+" && row.after ? [row.after - 1] : [])));
}
