import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { shards } from "../src/platform/aws/table.ts";
import { sweepSeconds } from "../src/workflow/policy.ts";
import { type AwsHome, awsHome } from "../bench/aws-home.ts";
import { measureRun, type RunTraffic } from "../bench/calls.ts";
import { pollBill, tableUnits, total } from "./bills.ts";
import { pollOf } from "./cost.ts";
import { table, withTables } from "./document-tables.ts";
import { type Priced, pricedStacks } from "./priced.ts";
import { assumptions as assumed, type Quota, quotaList, quotas } from "./prices.ts";

const file = fileURLToPath(new URL("../docs/scale.md", import.meta.url));
const rates = [10, 1_000, 100_000];
const steps = 10;
const seconds = steps * assumed.stepSeconds;

/** docs/scale.md with its tables as they are now: from counted calls, the code's own constants and AWS's quotas. */
export async function scaleDocument(): Promise<string> {
  const home = await awsHome({ delay: 0 });
  try {
    const polls = await pollRows(home, pricedStacks());
    const run = await measureRun(home, steps, 1);
    const perRate = rates.map((rate) => `${whole(rate)} runs/s`);
    return withTables(readFileSync(file, "utf8"), {
      quotas: table(["quota", "us-east-1", "elsewhere", ...perRate], quotaRows(run)),
      rest: table(["from rest to so many", ...perRate], restRows(run)),
      keys: table(["key", "of a run", "limit of one partition", "reached at"], keyRows(run)),
      shards: table(["runs that are running", "most in one shard", "if all were even", "ratio"], shardRows()),
      sweep: table(
        ["runs that are running", "pages of the index", "pages of executions", "seconds", "elsewhere"],
        sweepRows(),
      ),
      polls: table(["messages of 2 KB", "Queries", "units read", "KB", "US dollars for a million polls"], polls),
      sources: table(
        ["quota", "default", "where it says so"],
        Object.values(quotaList).map(({ unit, value, page }) => [unit, whole(value), page]),
        { texts: 1 },
      ),
    });
  } finally {
    await home.close();
  }
}

/** Concurrent executions that one run takes for how many seconds: of its own, and with a program in every step. */
function executionSeconds(): { alone: number; withPrograms: number } {
  const requests = (assumed.polls * assumed.getMilliseconds + assumed.createMilliseconds) / 1_000;
  const programs = (steps * assumed.programMilliseconds) / 1_000;
  return { alone: seconds + requests, withPrograms: seconds + requests + 2 * programs };
}

/** What so many runs started each second ask for, and in bold what is met first. */
function quotaRows(run: RunTraffic): string[][] {
  const { create, advance, poll, transitions } = run;
  const units = tableUnits(run, seconds);
  const objects = [...create.calls, ...advance.calls].filter(({ name }) => /^(Put|List)Object/.test(name)).length;
  const requests = 1 + assumed.polls;
  const { alone, withPrograms } = executionSeconds();
  const demands: [quota: Quota, ofRun: number, name?: string][] = [
    ["edgeRequests", requests],
    ["httpRequests", requests],
    ["concurrency", alone],
    ["concurrency", withPrograms, "Lambda: the same, with a program in every step"],
    ["startExecution", 1],
    ["stateTransition", transitions],
    ["openExecutions", seconds],
    ["tableUnits", units.reads + assumed.polls * poll.units.read, "DynamoDB: read units a second of the table"],
    ["tableUnits", units.table, "DynamoDB: write units a second of the table"],
    ["tableUnits", units.list, "DynamoDB: write units a second of the lists' index"],
    ["prefixWrites", objects, "S3: requests a second that write or list"],
  ];
  const usual = demands.filter(([, ofRun]) => ofRun !== withPrograms);
  const first = Math.max(...usual.map(([quota, ofRun]) => ofRun / quotas[quota]));
  return demands.map(([quota, ofRun, name]) => {
    const {
      value: limit,
      elsewhere = limit,
      unit,
    }: { value: number; elsewhere?: number; unit: string } = quotaList[quota];
    const cells = rates.map((rate) => {
      const text = `${whole(rate * ofRun)} (${share((rate * ofRun) / limit)})`;
      return ofRun / limit === first ? `**${text}**` : text;
    });
    return [name ?? unit, whole(limit), whole(elsewhere)].concat(cells);
  });
}

/** How long it takes until the services that grow with their load have grown so far. */
function restRows(run: RunTraffic): string[][] {
  const { startBucket, startExecution, newEnvironments } = quotas;
  const units = tableUnits(run, seconds);
  return [
    [
      "Lambda: `advance` has its environments after",
      ...rates.map((rate) => `${whole((rate * seconds) / newEnvironments)} s`),
    ],
    [
      "Step Functions: StartExecution refuses after",
      ...rates.map((rate) =>
        rate <= startExecution ? "never" : `${(startBucket / (rate - startExecution)).toFixed(2)} s`,
      ),
    ],
    [
      "DynamoDB: a new table's writes have to double",
      ...rates.map((rate) => {
        return `${Math.max(0, Math.ceil(Math.log2((rate * units.table) / quotas.newTableWrites)))} times`;
      }),
    ],
  ];
}

/** Keys that many runs share, or that one run asks for often. */
function keyRows(run: RunTraffic): string[][] {
  const { table: own, list, running } = tableUnits(run, seconds);
  const reads = quotas.partitionReads;
  const writes = quotas.partitionWrites;
  const ofPoll = run.poll.units.read - 1;
  return [
    [
      "`RUN#<id>`: one run's writes",
      `${own} writes in ${seconds} s`,
      `${whole(writes)} writes/s`,
      `${whole(writes / (own / seconds))} × that speed`,
    ],
    [
      "`RUN#<id>`: one run's polls",
      `${ofPoll} read each`,
      `${whole(reads)} reads/s`,
      `${whole(reads / ofPoll)} polls/s of one run`,
    ],
    [
      "`KEY#<hash>`: one API key",
      "1 read each request",
      `${whole(reads)} reads/s`,
      `${whole(reads)} requests/s with one key`,
    ],
    [
      "`AGENT#<id>`, `ORG#<id>`",
      "2 reads each run",
      `${whole(reads)} reads/s`,
      `${whole(reads / 2)} runs/s of one agent or organization`,
    ],
    [
      "`RUNNING#<shard>`, all runs",
      `${running} writes`,
      `${shards} × ${whole(writes)} writes/s`,
      `${whole((shards * writes) / running)} runs/s in all`,
    ],
    [
      "`RUNS#<agent>#<shard>`, one agent's runs",
      `${list} writes`,
      `${shards} × ${whole(writes)} writes/s`,
      `${whole((shards * writes) / list)} runs/s of one agent`,
    ],
  ];
}

/** Ids drawn as the service draws them, from a seed, so that the table stays the same. */
function shardRows(): string[][] {
  return [100, 10_000, 1_000_000].map((count) => {
    const filled = Array.from({ length: shards }, () => 0);
    for (let index = 0; index < count; index++) {
      const shard = crc32(drawnId(index)) % shards;
      filled[shard] = (filled[shard] ?? 0) + 1;
    }
    const even = count / shards;
    return [whole(count), whole(Math.max(...filled)), whole(even), (Math.max(...filled) / even).toFixed(2)];
  });
}

/** A UUID of version 4, made of a number instead of chance. */
function drawnId(index: number): string {
  let state = (index + 1) * 0x9e3779b9;
  const digits = Array.from({ length: 32 }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39;
    return ((state >>> 24) & 15).toString(16);
  }).join("");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}

const entryBytes = 150; // of a running run in the index: keys, id, turn, time
const pageSeconds = 0.05; // of a Query's page of 1 MB

/** The two lists that a sweep compares: shards are read at the same time, executions page after page. */
function sweepRows(): string[][] {
  const perPage = Math.floor((1024 * 1024) / entryBytes);
  const { value: here, elsewhere } = quotaList.listExecutions;
  const secondsFor = (count: number, rate: number): string => {
    const pagesOfShard = Math.max(1, Math.ceil(count / shards / perPage));
    const taken = pagesOfShard * pageSeconds + Math.max(1, Math.ceil(count / 1_000)) / rate;
    return taken > sweepSeconds ? "too long" : taken.toFixed(1);
  };
  const [mostElsewhere = 0, most = 0] = [elsewhere, here].map((rate) => Math.floor((sweepSeconds - 5) * rate) * 1_000);
  return [0, 1_000, 100_000, mostElsewhere, most].map((count) => [
    whole(count),
    whole(shards * Math.max(1, Math.ceil(count / shards / perPage))),
    whole(Math.max(1, Math.ceil(count / 1_000))),
    secondsFor(count, here),
    secondsFor(count, elsewhere),
  ]);
}

async function pollRows(home: AwsHome, priced: Priced): Promise<string[][]> {
  const rows: string[][] = [];
  for (const messages of [2, 20, 200, 2_000]) {
    const { queries, ...poll } = await pollOf(home, messages);
    const dollars = total(pollBill(priced, poll, 1e6)).toFixed(2);
    rows.push([whole(messages), whole(queries), whole(poll.reads), whole(poll.bytes / 1024), dollars]);
  }
  return rows;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function share(ratio: number): string {
  return ratio < 1
    ? `${Number((ratio * 100).toPrecision(2))} %`
    : `${Number(ratio.toPrecision(2)).toLocaleString("en-US")} ×`;
}

if (import.meta.main) writeFileSync(file, await scaleDocument());
