import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The tables of docs/cost.md against sums made by hand. They share no figure and no formula with the model.
// `npm run check:quick` compares the document with the model.

const cost = readFileSync(new URL("../../docs/cost.md", import.meta.url), "utf8");

/** The numbers in a row of a table. */
function row(table: string, name: string): number[] {
  const [, text = ""] = cost.split(`<!-- table: ${table} -->`);
  const rows = (text.split("<!-- end -->")[0] ?? "").replaceAll("*", "").split("\n");
  const cells = rows.map((line) => line.split("|").map((cell) => cell.trim())).find(([, first]) => first === name);
  if (!cells) throw new Error(`the table ${table} has no row ${name}`);
  return cells.slice(2, -1).map((cell) => Number(cell.replaceAll(",", "")));
}

function expectNear(amount: number | undefined, byHand: number): void {
  expect(Math.abs((amount ?? Number.NaN) - byHand) / byHand, `${amount}, by hand ${byHand}`).toBeLessThan(0.06);
}

test("an idle stack costs 20 alarm metrics, a dashboard, 2 metrics, a secret, empty receives and a sweep every two minutes", () => {
  const sweeps = 21_600 * (0.3 * 0.5 * 13.3334e-6 + 0.2e-6 + 24 * 0.125e-6 + 900 * 0.47e-9);
  expectNear(row("idle", "total")[0], 20 * 0.1 + 3 + 2 * 0.3 + 0.4 + 0.26 + sweeps);
  expect(row("idle", "total")[0]).toBeLessThan(7);
});

test("a run costs its polls, its transitions and its steps", () => {
  const polls = 60 * 3.7e-6; // 2.10 for a request, 0.44 Lambda, 0.38 table, 0.38 log, 0.38 data, each per million
  const transitions = 5 * 25e-6 + 5e-6; // Start, three states, End, and a trace
  // 5 s with 1 GB, 16 writes, 80 KB to the model, 4 KB stored for three months, 1.4 KB of log, some reads
  const step = 5 * 13.3334e-6 + 16 * 0.625e-6 + 80e3 * 0.084e-9 + 4e3 * 0.42e-9 * 3 + 1.4e3 * 0.47e-9 + 0.6e-6;
  const fixed = polls + transitions + 4e-6 + 5e-6 + 10e-6; // a create, a secret, a file
  const totals = row("runs", "total");
  for (const [column, steps] of [1, 10, 50].entries()) expectNear(totals[column], 1_000 * (fixed + steps * step));
  expectNear(row("months", "10,000,000")[0], 1e7 * (fixed + 10 * step));
});

test("a program costs an environment, the memory and time of two functions, and disk above 512 MB", () => {
  const [first] = row("extras", "1,000 first programs of an agent");
  const seconds = 5 * ((2 + 1) * 13.3334e-6 + 3.5 * 3.09e-8);
  expectNear(first, 1_000 * (2 * 167e-6 + seconds + 2 * 5e-6 + 2 * 4e-7));
});

test("a webhook delivery costs its calls, and 0.3 s of a function for each attempt", () => {
  const attempt = 3 * 0.4 + 0.3 * 0.5 * 13.3 + 0.2 + 3 * 0.125 + 2 * 0.625 + 0.42;
  const first = 4 * 0.625 + 0.2 + 0.07 + 0.42;
  expectNear(row("extras", "1,000,000 webhook deliveries")[0], first + attempt);
  // A schedule sends the message of a long wait again: its calls, and 15 ms of the function.
  const wait = 1 + 3 * 0.4 + 0.015 * 0.5 * 13.3 + 0.2;
  expectNear(row("extras", "1,000,000 webhook deliveries that fail for a day")[0], first + 9 * attempt + 5 * wait);
});

test("an open list of 1,000 runs costs its pages, its counts and their keys, whatever the number of agents", () => {
  const pages = 600 * (25 + 2);
  const counts = 180 * (500 + 41);
  expectNear(row("console", "an hour of an open list, with 1,000 runs or more")[0], (pages + counts) * 0.125e-6);
});

test("the limits of a day cost their rate times a day", () => {
  expectNear(row("limits", "4,000 polls a second")[1], 345_600_000 * 3.7e-6);
  expectNear(row("limits", "100 uploads of 20 MiB a second: data to the origin")[1], 8_640_000 * 0.01953 * 0.02);
  expectNear(row("limits", "1,000 runs: an account's usual concurrency")[1], 1_000 * 17_280 * 91e-6);
});

test("polls of long transcripts cost mostly data transfer", () => {
  const [amount] = row("extras", "1,000,000 polls of 200 messages");
  expectNear(amount, (412e9 / 2 ** 30) * 0.085 + 105 * 0.125 + 1 + 1.1 + 0.8);
});
