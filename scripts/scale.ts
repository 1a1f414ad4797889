import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { shards } from "../lambdas/stores/aws/table.ts";
import { sweepSeconds } from "../lambdas/workflow/payload.ts";
import { type AwsHome, awsHome } from "../bench/aws-home.ts";
import { longRun, measureRun, type RunTraffic } from "../bench/calls.ts";
import { table, withTables } from "./document-tables.ts";
import { assumptions as assumed, prices, quotas } from "./prices.ts";

const file = fileURLToPath(new URL("../docs/scale.md", import.meta.url));
const rates = [10, 1_000, 100_000];
const steps = 10;
const seconds = steps * assumed.stepSeconds;

/** docs/scale.md with its tables as they are now: from counted calls, the code's own constants and AWS's quotas. */
export async function scaleDocument(): Promise<string> {
  const home = await awsHome({ delay: 0 });
  try {
    const polls = await pollRows(home);
    const run = await measureRun(home, steps, 1);
    return withTables(readFileSync(file, "utf8"), {
      quotas: table(["quota", "limit", ...rates.map((rate) => `${whole(rate)} runs/s`)], quotaRows(run)),
      keys: table(["key", "of a run", "limit of one partition", "reached at"], keyRows(run)),
      shards: table(["runs that are running", "most in one shard", "if all were even", "ratio"], shardRows()),
      sweep: table(["runs that are running", "pages of the index", "pages of executions", "seconds"], sweepRows()),
      polls: table(["messages of 2 KB", "Queries", "units read", "US dollars for a million polls' reads"], polls),
    });
  } finally {
    await home.close();
  }
}

/** What so many runs started each second ask for, and in bold what is met first. */
function quotaRows({ create, advance, poll, transitions }: RunTraffic): string[][] {
  const requests = 1 + assumed.polls;
  const busy = seconds + (assumed.polls * assumed.getMilliseconds + assumed.createMilliseconds) / 1_000;
  const reads =
    create.units.read + advance.units.read + seconds / assumed.watchSeconds + assumed.polls * poll.units.read;
  const demands: [name: string, limit: number, ofRun: number][] = [
    ["API Gateway: requests a second", quotas.httpRequests, requests],
    ["Lambda: concurrent executions", quotas.concurrency, busy],
    ["Step Functions: StartExecution a second", quotas.startExecution, 1],
    ["Step Functions: state transitions a second", quotas.stateTransition, transitions],
    ["Step Functions: open executions", quotas.openExecutions, seconds],
    ["DynamoDB: read units a second of the table", quotas.tableReads, reads],
    ["DynamoDB: write units a second of the table", quotas.tableWrites, create.units.write + advance.units.write],
  ];
  const first = Math.max(...demands.map(([, limit, ofRun]) => ofRun / limit));
  return demands.map(([name, limit, ofRun]) => {
    const cells = rates.map((rate) => {
      const text = `${whole(rate * ofRun)} (${share((rate * ofRun) / limit)})`;
      return ofRun / limit === first ? `**${text}**` : text;
    });
    return [name, whole(limit)].concat(cells);
  });
}

/** Keys that many runs share, or that one run asks for often. */
function keyRows({ create, advance, poll }: RunTraffic): string[][] {
  const ofRun = create.units.write + advance.units.write - list(create, advance) - running(create, advance);
  const reads = quotas.partitionReads;
  const writes = quotas.partitionWrites;
  return [
    [
      "`RUN#<id>`: one run's writes",
      `${ofRun} writes in ${seconds} s`,
      `${whole(writes)} writes/s`,
      `${whole(writes / (ofRun / seconds))} × that speed`,
    ],
    [
      "`RUN#<id>`: one run's polls",
      `${poll.units.read - 1} read each`,
      `${whole(reads)} reads/s`,
      `${whole(reads / (poll.units.read - 1))} polls/s of one run`,
    ],
    [
      "`KEY#<hash>`: one API key",
      "1 read each request",
      `${whole(reads)} reads/s`,
      `${whole(reads)} requests/s with one key`,
    ],
    [
      "`AGENT#<id>`, `ORG#<id>`",
      "1 read each create",
      `${whole(reads)} reads/s`,
      `${whole(reads)} creates/s of one agent or organization`,
    ],
    [
      "`RUNNING#<shard>`, all runs",
      `${running(create, advance)} writes`,
      `${shards} × ${whole(writes)} writes/s`,
      `${whole((shards * writes) / running(create, advance))} runs/s in all`,
    ],
    [
      "`RUNS#<agent>#<shard>`, one agent's runs",
      `${list(create, advance)} writes`,
      `${shards} × ${whole(writes)} writes/s`,
      `${whole((shards * writes) / list(create, advance))} runs/s of one agent`,
    ],
  ];
}

function list(...traffic: RunTraffic["create"][]): number {
  return traffic.reduce((sum, { units }) => sum + units.list, 0);
}

function running(...traffic: RunTraffic["create"][]): number {
  return traffic.reduce((sum, { units }) => sum + units.running, 0);
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
  const secondsFor = (count: number): number => {
    const pagesOfShard = Math.max(1, Math.ceil(count / shards / perPage));
    return pagesOfShard * pageSeconds + Math.max(1, Math.ceil(count / 1_000)) / quotas.listExecutions;
  };
  const most = Math.floor((sweepSeconds - 5) * quotas.listExecutions) * 1_000;
  return [0, 1_000, 100_000, most].map((count) => [
    whole(count),
    whole(shards * Math.max(1, Math.ceil(count / shards / perPage))),
    whole(Math.max(1, Math.ceil(count / 1_000))),
    secondsFor(count).toFixed(1),
  ]);
}

async function pollRows(home: AwsHome): Promise<string[][]> {
  const rows: string[][] = [];
  for (const messages of [2, 20, 200, 2_000]) {
    const runId = await longRun(home, messages);
    await home.get(runId);
    const { calls, units } = home.endpoint.take();
    const queries = calls.filter(({ name }) => name === "Query").length;
    rows.push([whole(messages), whole(queries), whole(units.read), (units.read * prices.readUnit * 1e6).toFixed(2)]);
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
