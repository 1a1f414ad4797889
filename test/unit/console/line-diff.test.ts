import { expect, test } from "vitest";
import { lineDiff } from "../../../console/run/text/line-diff.ts";

const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);

test("numbers the lines of both texts and folds those that are far from a change", () => {
  const before = [...lines(1, 10), "old", ...lines(12, 30)].join("\n");
  const after = [...lines(1, 10), "new", "more", ...lines(12, 30)].join("\n");
  const diff = lineDiff(`${before}\n`, `${after}\n`);

  expect(diff).toMatchObject({ added: 2, removed: 1 });
  expect(
    diff?.rows.map((row) => (row.sign === "fold" ? row.lines : `${row.before ?? ""}|${row.after ?? ""}${row.sign}`)),
  ).toEqual([7, "8|8 ", "9|9 ", "10|10 ", "11|-", "|11+", "|12+", "12|13 ", "13|14 ", "14|15 ", 16]);
});

test("equal texts have no difference", () => {
  expect(lineDiff("a\nb\n", "a\nb\n")).toEqual({ rows: [{ sign: "fold", lines: 2 }], added: 0, removed: 0 });
});
