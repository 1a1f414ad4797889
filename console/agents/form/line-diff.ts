/** A line of two compared texts. `before` and `after`: its numbers in them, from 1. */
export interface DiffRow {
  sign: " " | "+" | "-";
  before: number | undefined;
  after: number | undefined;
  text: string;
}

/** Compares two agent files by their lines. They are short, so it finds the longest common sequence. */
export function lineDiff(before: string, after: string): DiffRow[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const [oldLines, nowLines] = [old.map(withoutComma), now.map(withoutComma)];
  // common[i][j]: number of common lines of old from i and now from j
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const length = oldLines[i] === nowLines[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      common[i]?.fill(length, j, j + 1);
    }
  }
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && oldLines[i] === nowLines[j]) {
      rows.push({ sign: " ", before: i + 1, after: j + 1, text: now[j] ?? "" });
      i++;
      j++;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ sign: "-", before: i + 1, after: undefined, text: old[i] ?? "" });
      i++;
    } else {
      rows.push({ sign: "+", before: undefined, after: j + 1, text: now[j] ?? "" });
      j++;
    }
  }
  return rows;
}

/** A field that was added after the last one gives that one a comma. That is not a change. */
function withoutComma(line: string): string {
  return line.trimEnd().replace(/,$/, "");
}

/** Positions, from 0, of the lines of `after` that `before` does not have. */
export function changedLines(before: string, after: string): Set<number> {
  return new Set(lineDiff(before, after).flatMap(({ sign, after: line }) => (sign === "+" && line ? [line - 1] : [])));
}
