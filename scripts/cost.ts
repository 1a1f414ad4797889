import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AwsHome, awsHome } from "../bench/aws-home.ts";
import { longRun, measureRun } from "../bench/calls.ts";
import {
  type Bill,
  documentBill,
  fargateBill,
  idleBill,
  metricsBill,
  type Poll,
  pollBill,
  programsBill,
  runBill,
  total,
} from "./bills.ts";
import { table, withTables } from "./document-tables.ts";
import { pricedStacks } from "./priced.ts";
import { assumptionList, assumptions as assumed, checked, priceList, prices, region } from "./prices.ts";

const file = fileURLToPath(new URL("../docs/cost.md", import.meta.url));

/** docs/cost.md with its tables as they are now: from the templates, the counted calls and the prices. */
export async function costDocument(): Promise<string> {
  const priced = pricedStacks();
  const home = await awsHome({ delay: 0 });
  try {
    const runs: [steps: number, bill: Bill][] = [];
    const poll = await pollOf(home, 2);
    for (const steps of [1, 10, 50]) runs.push([steps, runBill(priced, steps, await measureRun(home, steps, 1), poll)]);
    const ofTen = total(runs[1]?.[1] ?? {});
    const month = total(idleBill(priced)) + total(metricsBill(priced));
    const programs = [programsBill(priced, 1), programsBill(priced, 10), programsBill(priced, 50)];
    return withTables(readFileSync(file, "utf8"), {
      idle: bills("a month", ["US dollars"], [idleBill(priced)]),
      metrics: bills("a month in use", ["US dollars"], [metricsBill(priced)]),
      runs: bills(
        "a run of …",
        ["1 step", "10 steps", "50 steps"],
        runs.map(([, bill]) => bill),
      ),
      months: table(
        ["runs of 10 steps a month", "a second", "US dollars a month"],
        [1_000, 100_000, 10_000_000].map((count) => monthRow(count, month + count * ofTen)),
      ),
      programs: bills(
        "programs of a run",
        ["1", "10", "50", "1 of 60 s"],
        [...programs, programsBill(priced, 1, 60_000)],
      ),
      documents: bills(
        "a PDF of …",
        ["100 pages", "2,000 pages"],
        [100, 2_000].map((pages) => documentBill(priced, pages)),
      ),
      polls: bills(
        "a million polls",
        ["by the front door", "to API Gateway"],
        [pollBill(priced, poll, 1e6), pollBill(priced, poll, 1e6, { frontDoor: false })],
      ),
      fargate: bills("a month", ["US dollars"], [fargateBill(priced.fargate)]),
      kept: table(
        ["a GB kept for a month", "US dollars"],
        [
          ["in the table, with recovery", dollars(prices.tableGigabyteMonth + prices.recoveryGigabyteMonth)],
          ["of files and long texts", dollars(prices.objectGigabyteMonth)],
          ["of logs, compressed", dollars(prices.logGigabyteMonth)],
        ],
      ),
      prices: table(
        [`${region}, ${checked}`, "US dollars", "for a", "page", "seen"],
        Object.entries(priceList).map(([name, { value, unit, page, seen }]) => {
          return [`\`${name}\``, plain(value), unit, page, seen];
        }),
        { texts: 3 },
      ),
      assumptions: table(
        ["constant", "value", "of what", "known by"],
        Object.entries(assumptionList).map(([name, { value, unit, basis }]) => {
          return [`\`${name}\``, value.toLocaleString("en-US"), unit, basis];
        }),
        { texts: 2 },
      ),
    });
  } finally {
    await home.close();
  }
}

/** What a poll of a run with so many messages of 2 KB reads, in units of the table, and answers, in bytes. */
export async function pollOf(home: AwsHome, messages: number): Promise<Poll & { queries: number }> {
  const runId = await longRun(home, messages);
  const bytes = Buffer.byteLength(JSON.stringify(await home.get(runId)));
  const { calls, units } = home.endpoint.take();
  return { reads: units.read, bytes, queries: calls.filter(({ name }) => name === "Query").length };
}

function monthRow(count: number, amount: number): string[] {
  const aSecond = count / (assumed.days * 24 * 60 * 60);
  return [count.toLocaleString("en-US"), String(Number(aSecond.toPrecision(2))), dollars(amount)];
}

/** One row for each item, one column for each bill, and what they come to. */
function bills(title: string, heads: string[], columns: Bill[]): string {
  const items = Object.keys(columns[0] ?? {});
  const rows = items.map((item) => [item, ...columns.map((bill) => dollars(bill[item] ?? 0))]);
  const together = ["**together**", ...columns.map((bill) => `**${dollars(total(bill))}**`)];
  return table([title, ...heads], items.length > 1 ? [...rows, together] : rows);
}

/** Two digits that matter, and never more precise than a millionth. */
function dollars(amount: number): string {
  if (amount >= 1_000) return Math.round(amount).toLocaleString("en-US");
  return amount >= 1 ? amount.toFixed(2) : amount.toFixed(amount >= 0.01 || amount === 0 ? 3 : 6);
}

function plain(value: number): string {
  return value.toLocaleString("en-US", { maximumSignificantDigits: 6, maximumFractionDigits: 10 });
}

if (import.meta.main) writeFileSync(file, await costDocument());
