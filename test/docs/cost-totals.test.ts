import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// What the scripts compute, against sums that were made by hand. Everything is read from the documents as they are
// written, and no figure or formula is shared with the scripts.

const cost = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");
const scale = readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");

/** A table's rows by their first cell: what stands in the others. */
function tableOf(document: string, name: string): Map<string, string[]> {
  const [, text = ""] = document.split(`<!-- table: ${name} -->`);
  const lines = (text.split("<!-- end -->")[0] ?? "").trim().split("\n").slice(2);
  const cells = lines.map((line) => line.replaceAll("*", "").split("|").slice(1, -1));
  return new Map(cells.map(([first = "", ...others]) => [first.trim(), others.map((cell) => cell.trim())]));
}

function amounts(document: string, name: string, row: string): number[] {
  const cells = tableOf(document, name).get(row);
  if (!cells) throw new Error(`the table ${name} has no row ${row}`);
  return cells.map((cell) => Number.parseFloat(cell.replaceAll(",", "")));
}

/** Within so large a share of what it is compared with. */
function expectNear(amount: number | undefined, byHand: number, within = 0.05): void {
  expect(Math.abs((amount ?? Number.NaN) - byHand) / byHand, `${amount}, by hand ${byHand}`).toBeLessThan(within);
}

test.each(["idle", "metrics", "runs", "programs", "polls", "fargate"])("the rows of %s come to its total", (name) => {
  const rows = [...tableOf(cost, name).keys()].filter((row) => row !== "together");
  const totals = amounts(cost, name, "together");
  for (const [column, written] of totals.entries()) {
    const sum = rows.reduce((all, row) => all + (amounts(cost, name, row)[column] ?? 0), 0);
    expectNear(written, sum, 0.02); // rows are rounded
  }
});

test("a run costs what its parts cost by hand", () => {
  const polls = 60 * 3.7e-6; // 2.10 for a request, 0.44 Lambda, 0.38 table, 0.38 log, 0.38 data, each of a million
  const transitions = 5 * 25e-6 + 5e-6; // Start, three states, End, and a trace
  const [ofOne, ofTen, ofFifty] = amounts(cost, "runs", "together");
  // 5 s with 1 GB, 15 writes, 80 KB to the model, 4 KB kept for three months, 1.4 KB of log, some reads
  const ofStep = 5 * 13.3334e-6 + 15 * 0.625e-6 + 80e3 * 0.084e-9 + 4e3 * 0.42e-9 * 3 + 1.4e3 * 0.47e-9 + 0.6e-6;
  const fixed = polls + transitions + 4e-6 + 5e-6 + 10e-6; // a create, a secret, a file
  expectNear(ofOne, fixed + ofStep);
  expectNear(ofTen, fixed + 10 * ofStep);
  expectNear(ofFifty, fixed + 50 * ofStep);
  expectNear(amounts(cost, "months", "10,000,000")[1], 1e7 * (fixed + 10 * ofStep));
});

test("a program costs an environment, and the memory and the time of two functions", () => {
  const [one, , , longest] = amounts(cost, "programs", "together");
  const environment = 1.7275 * 167e-6;
  expectNear(one, environment + 2 * (1.7275 + 1) * 13.3334e-6 + 3 * 5e-6);
  expectNear(longest, environment + 60 * (1.7275 + 1) * 13.3334e-6 + 3 * 5e-6, 0.02);
});

test("a stack at rest costs its alarms, its dashboard, two metrics, a secret, and a sweep every two minutes", () => {
  const sweeps = 21_600 * (0.3 * 0.5 * 13.3334e-6 + 0.2e-6 + 8 * 0.125e-6 + 900 * 0.47e-9);
  expectNear(amounts(cost, "idle", "together")[0], 10 * 0.1 + 3 + 2 * 0.3 + 0.4 + sweeps, 0.01);
});

test("what is asked of AWS grows with the rate, and concurrency is met first", () => {
  const rows = tableOf(scale, "quotas");
  for (const row of rows.keys()) {
    const [, , atTen = 0, atThousand = 0, atMost = 0] = amounts(scale, "quotas", row);
    expectNear(atThousand, 100 * atTen, 0.02);
    expectNear(atMost, 100 * atThousand, 0.01);
  }
  // 10 runs of 50 s, and 610 requests of 15 ms
  expectNear(amounts(scale, "quotas", "Lambda: concurrent executions")[2], 10 * 50 + 610 * 0.015, 0.01);
  expect(scale).toMatch(/\| Lambda: concurrent executions .*\*\*510 \(51 %\)\*\*/);
});

test("a poll of a long transcript costs its data most of all", () => {
  const [, units, kilobytes, dollars] = amounts(scale, "polls", "200");
  expectNear(units, (200 * 2.06) / 4 + 1);
  expectNear(kilobytes, 200 * 2.06, 0.03);
  expectNear(dollars, (412e9 / 2 ** 30) * 0.085 + 105 * 0.125 + 1 + 1.1 + 0.8, 0.03);
});
