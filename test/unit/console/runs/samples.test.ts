import { expect, test } from "vitest";
import { contracts, log, tables } from "../../../../console/runs/first-run/sample-files.ts";

const linesOf = (text: string): string[] => text.trimEnd().split("\n");

test("the orders of two quarters are of regions that the other table names", () => {
  const [orders, regions] = tables();
  const known = new Set(linesOf(regions?.text ?? "").map((line) => line.split(",")[0]));
  const [head, ...rows] = linesOf(orders?.text ?? "").map((line) => line.split(","));
  expect(head).toEqual(["order", "date", "region", "amount_eur"]);
  expect(rows).toHaveLength(480);
  expect(rows.every(([, , region = ""]) => known.has(region))).toBe(true);
  expect([rows[0]?.[1], rows.at(-1)?.[1]]).toEqual(["2026-04-01", "2026-09-30"]);
  expect(tables()).toEqual([orders, regions]); // the same each time
});

test("two contracts differ in four clauses", () => {
  const [one, other] = contracts().map(({ text }) => linesOf(text));
  expect(one).toHaveLength(other?.length ?? 0);
  expect(one?.slice(1).filter((line) => !other?.includes(line))).toHaveLength(4);
});

test("the log has 4,000 lines, in order, and one cause before its first error", () => {
  const [{ text } = { text: "" }] = log();
  const all = linesOf(text);
  expect(all).toHaveLength(4_000);
  expect(all.toSorted()).toEqual(all);
  const first = all.findIndex((line) => line.includes(" ERROR "));
  expect(all[first]).toContain("duplicate key");
  expect(all[first - 2]).toContain("no response within 30 s, trying again");
  expect(all.filter((line) => line.includes(" ERROR "))).toHaveLength(2);
});
