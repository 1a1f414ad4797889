import fc from "../../support/properties.ts";
import { describe, expect, it } from "vitest";
import { alignCalls } from "../../../src/trials/cases/compare.ts";

interface Call {
  name: string;
  input: unknown;
}
/** `r1` is a call of r with the input 1. */
const calls = (text: string): Call[] =>
  text.split(" ").flatMap((each) => (each ? [{ name: each[0] ?? "", input: { n: each.slice(1) } }] : []));
const textOf = (call?: Call): string => (call ? call.name + (call.input as { n: string }).n : "–");
const aligned = (left: string, right: string): string =>
  alignCalls(calls(left), calls(right))
    .rows.map((row) => `${textOf(row.left)}${row.same ? "=" : "/"}${textOf(row.right)}`)
    .join(" ");

/** By trying all subsequences. */
function longest(left: string[], right: string[]): number {
  const [a, ...rest] = left;
  if (a === undefined || right.length === 0) return 0;
  const at = right.indexOf(a);
  const without = longest(rest, right);
  return at === -1 ? without : Math.max(without, 1 + longest(rest, right.slice(at + 1)));
}

const many = (offset: number): Call[] =>
  Array.from({ length: 6_000 }, (_, index) => ({
    name: `t${index % 7}`,
    input: { n: (index * 7 + offset) % 13 },
  }));

describe("the calls of two turns", () => {
  it.each([
    ["equal", "r1 w1", "r1 w1", "r1=r1 w1=w1"],
    ["one more", "r1 w1", "r1 r2 w1", "r1=r1 –/r2 w1=w1"],
    ["one less", "l0 r1 w1", "r1 w1", "l0/– r1=r1 w1=w1"],
    ["another input", "r1 w1 s1", "r1 w2 s1", "r1=r1 w1/w2 s1=s1"],
    ["another tool", "r1 f1", "r1 w1", "r1=r1 f1/– –/w1"],
    ["another order", "a1 b1 c1", "b1 c1 a1", "a1/– b1=b1 c1=c1 –/a1"],
    ["a changed call among others", "x1 r1 y1 w1", "z1 r2 w1", "x1/– –/z1 r1/r2 y1/– w1=w1"],
    ["none on one side", "", "r1", "–/r1"],
    ["none", "", "", ""],
  ])("are aligned: %s", (_, left, right, rows) => expect(aligned(left, right)).toBe(rows));

  it("are equal with another order of keys", () => {
    const [left, right] = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
    ];
    expect(alignCalls([{ name: "t", input: left }], [{ name: "t", input: right }])).toEqual({
      rows: [{ left: { name: "t", input: left }, right: { name: "t", input: right }, same: true }],
    });
  });

  it("name the first difference", () => {
    expect(alignCalls(calls("r1 w1 s1"), calls("r1 w2 s1")).firstDifference).toBe(1);
    expect(alignCalls(calls("r1"), calls("r1"))).not.toHaveProperty("firstDifference");
  });

  const anyCalls = fc.array(fc.constantFrom(...calls("r1 r2 w1 w2 s1")), { maxLength: 12 });

  it("keep their order, lose none, and are equal as often as possible", () => {
    fc.assert(
      fc.property(anyCalls, anyCalls, (left, right) => {
        const { rows, firstDifference = rows.length } = alignCalls(left, right);
        expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
        expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
        for (const row of rows) if (row.same) expect(textOf(row.left)).toBe(textOf(row.right));
        expect(rows.slice(0, firstDifference).every(({ same }) => same)).toBe(true);
        const same = rows.filter((row) => row.same).length;
        expect(same).toBe(longest(left.map(textOf), right.map(textOf)));
      }),
    );
  });

  it("of very long turns are aligned without a loss", () => {
    const [left, right] = [many(0), many(14)];
    const { rows } = alignCalls(left, right);
    expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
    expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
    const same = rows.filter((row) => row.same);
    expect(same.length).toBeGreaterThan(0);
    for (const row of same) expect(row.left).toEqual(row.right);
  });
});
