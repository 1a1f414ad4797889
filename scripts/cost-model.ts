// Writes the tables of docs/cost.md. With --check, fails if they are stale and writes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import cdkJson from "../cdk.json" with { type: "json" };
import {
  type Bill,
  dollars,
  fargateBill,
  gigabyte,
  idleBill,
  lambdaCost as lambda,
  logCost as log,
  memoryOf,
  ofType,
  total,
  warmBill,
} from "../lib/cost/idle.ts";
import { defaultThrottle } from "../lib/concurrency.ts";
import { assumed, assumptionList, price, priceList } from "../lib/cost/prices.ts";
import { synthesizeWithoutCode } from "../lib/service-app.ts";
import { failureCategories } from "../src/agent/model.ts";
import { openStreams } from "../src/ext/open-streams.ts";
import { metricUnits } from "../src/observability/metrics.ts";

const daySeconds = 24 * 3_600;
const templates = synthesizeWithoutCode(cdkJson.context);
const withFargate = synthesizeWithoutCode({ ...cdkJson.context, largeBodies: "fargate" });
const withWarm = synthesizeWithoutCode({ ...cdkJson.context, warm: 1 });
const withConsole = synthesizeWithoutCode({ ...cdkJson.context, console: "cognito" });
const service = templates.service.resources;
const webConsole = withConsole.webConsole?.resources ?? {};
const memory = {
  create: memoryOf(service, "Create"),
  get: memoryOf(service, "Get"),
  advance: memoryOf(service, "Advance"),
  documents: memoryOf(service, "Documents"),
  sandbox: memoryOf(service, "SandboxEnvironmentlinux"),
};
/** With the usual quota of concurrent executions. */
const usualThrottle = defaultThrottle(1_000);
/** GB of `/tmp`. */
const sandboxDisk = templates.settings.sandboxStorage / 1024;
const idle = idleBill({ service, frontDoor: templates.frontDoor?.resources });

/** Metrics are billed only for hours with data. This is the maximum: data in every hour. */
function metricsBill(): Bill {
  const own = Object.keys(metricUnits).length - 2;
  const routes = ofType(service, "AWS::ApiGatewayV2::Route").length;
  return {
    [`${own} metrics of runs, turns and large requests`]: own * price.metric,
    [`failed runs by ${failureCategories.length} categories`]: failureCategories.length * price.metric,
    [`6 metrics for each of ${routes} routes`]: 6 * routes * price.metric,
  };
}

function runBill(steps: number): Bill {
  const seconds = steps * assumed.stepSeconds;
  const reads = assumed.readUnits + steps * assumed.stepReadUnits;
  const writes = assumed.writeUnits + steps * assumed.stepWriteUnits;
  const create = price.httpRequest + edgeRequest + lambda(memory.create, assumed.createMilliseconds);
  const months = cdkJson.context.retentionDays / 30;
  const upload = (assumed.createBytes / gigabyte) * price.originGigabyte;
  return {
    "API: one create and its polls": create + upload + log(assumed.requestLog) + assumed.polls * pollCost(2),
    "Lambda: the turn": lambda(memory.advance, seconds * 1_000),
    "Step Functions: transitions and a trace": assumed.transitions * price.transition + price.trace,
    "DynamoDB: reads and writes": reads * price.readUnit + writes * price.writeUnit,
    [`DynamoDB: storage for ${cdkJson.context.retentionDays} days`]:
      ((steps * assumed.storedBytes) / gigabyte) * price.tableGigabyte * months,
    "S3 and Secrets Manager: requests":
      2 * price.objectPut + steps * price.objectGet + Math.ceil(seconds / 60) * price.secretRead,
    "CloudWatch: logs": log(assumed.runLog + steps * assumed.stepLog),
    "Data to a model outside AWS": ((steps * assumed.requestBytes) / gigabyte) * price.transferGigabyte,
  };
}

/** One run that works all day, as `runBill`, without its create and polls. */
function workingDay(): number {
  const { "API: one create and its polls": _api, ...bill } = runBill(daySeconds / assumed.stepSeconds);
  return total(bill);
}

/** One poll of a transcript with messages of 2 KB, through the front door. */
function pollCost(messages: number): number {
  const bytes = messages * 2_068 + 90;
  const readUnits = Math.ceil(bytes / 4_096) + 1;
  const data = ((bytes + 600) / gigabyte) * price.edgeGigabyte; // 600 bytes of headers
  const request = edgeRequest + Math.ceil(bytes / 2 ** 19) * price.httpRequest;
  return (
    request + lambda(memory.get, assumed.pollMilliseconds) + readUnits * price.readUnit + log(assumed.requestLog) + data
  );
}

/**
 * `advance` waits for the program, so both functions are billed. A program reads and writes a file, which is staged, read and
 * copied.
 */
function programCost(milliseconds: number): number {
  const objects = 2 * price.objectPut + 2 * price.objectGet;
  const disk = (Math.max(0, sandboxDisk - 0.5) * milliseconds * price.diskGigabyteSecond) / 1_000;
  return lambda(memory.sandbox + memory.advance, milliseconds) + disk + objects + log(450);
}

/**
 * A webhook delivery of so many attempts, of which `scheduled` wait for longer than SQS can delay them. An attempt is a
 * message that is sent, received and deleted.
 */
function deliveryCost(attempts: number, scheduled: number): number {
  const [enqueue, send] = [memoryOf(service, "EnqueueDelivery"), memoryOf(service, "SendDelivery")];
  const attempt =
    3 * price.queueRequest +
    lambda(send, assumed.deliveryMilliseconds) +
    assumed.deliveryReadUnits * price.readUnit +
    assumed.attemptWriteUnits * price.writeUnit +
    log(assumed.deliveryLog);
  const first =
    assumed.deliveryWriteUnits * price.writeUnit + price.readUnit + lambda(enqueue, 15) + log(assumed.deliveryLog);
  const wait = price.schedule + 3 * price.queueRequest + lambda(send, 15); // its message is sent again, with its group
  return first + attempts * attempt + scheduled * wait;
}

/** What the text of a model that answers for an hour costs the turn and its readers, without their requests. */
const textHour = (3_600 * assumed.textWriteUnits + (3_600 / 15) * assumed.markWriteUnits) * price.writeUnit;

/**
 * Cost of an hour of an open stream without its server: reads of the run, a read of the key every 3 s, and the requests that begin
 * the stream. `answers`: a model answers, and its text is read with the run.
 */
function streamHour(answers: boolean): number {
  const ofRun = 3_600_000 / openStreams.interval;
  const reads = (answers ? 1.5 : 1) * ofRun + 3_600 / 3;
  const requests = (3_600_000 / openStreams.longest) * (edgeRequest + log(assumed.requestLog));
  return reads * price.readUnit + requests + (answers ? textHour : 0);
}

/** What the console's stack adds to the idle bill, and an hour of a page that shows a run in progress. */
function consoleRows(): string[][] {
  const deployment = { service, frontDoor: templates.frontDoor?.resources };
  const idleMonth = total(idleBill({ ...deployment, webConsole })) - total(idleBill(deployment));
  const request =
    price.httpRequest +
    lambda(memoryOf(webConsole, "Read"), assumed.consoleMilliseconds) +
    assumed.consoleReadUnits * price.readUnit +
    log(assumed.requestLog);
  return [
    ["a month without requests", dollars(idleMonth)],
    ["an hour of an open page with a run in progress", dollars(assumed.consoleRequests * request)],
    [
      "an hour of an open page while a model answers",
      dollars(2 * assumed.consoleRequests * (request + price.readUnit) + textHour),
    ],
    ["an hour of an open list, with 1,000 runs or more", dollars(listUnits * price.readUnit)],
    ["10,000 people in a month with `cognito`", "0"],
    ["each further person in the month", dollars(price.consolePerson)],
  ];
}

/** What `warm` 1 costs, and what the turns of 1,000 runs of 10 steps cost in such an environment of `advance`. */
function warmRows(): string[][] {
  const gigabyteMonth = 30 * daySeconds * price.warmGigabyteSecond;
  const seconds = 1_000 * 10 * assumed.stepSeconds;
  const month = (gigabytes: number): string => dollars(gigabytes * gigabyteMonth);
  return [
    [`a month of an environment of \`Create\`, ${memory.create * 1024} MB`, month(memory.create)],
    [`a month of an environment of \`Get\`, ${memory.get * 1024} MB`, month(memory.get)],
    [`a month of an environment of \`Advance\`, ${memory.advance * 1024} MB`, month(memory.advance)],
    ["**a month of `warm` 1**", `**${dollars(total(warmBill(withWarm.service.resources)))}**`],
    ["the turns of 1,000 runs of 10 steps in it", dollars(memory.advance * seconds * price.warmUseGigabyteSecond)],
    ["the same in other environments", dollars(memory.advance * seconds * price.lambdaGigabyteSecond)],
  ];
}

/** Read units of a number of runs in a list: half of one each, and twice as many keys of the index, of 170 bytes. */
const unitsOf = (runs: number): number => 0.5 * runs + (2 * runs * 170) / 8_192;
/** An hour of a list that is refreshed every 6 s, with counts every 20 s. */
const listUnits = (3_600 / 6) * unitsOf(50) + (3_600 / 20) * unitsOf(1_000);

const edgeRequest = price.edgeRequest + price.edgeFunction;

function table(head: string[], rows: string[][]): string {
  return [head, head.map((_, column) => (column === 0 ? "---" : "--:")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}
function billTable(head: string[], bills: Bill[]): string {
  const rows = Object.keys(bills[0] ?? {}).map((item) => [item].concat(bills.map((bill) => dollars(bill[item] ?? 0))));
  return table(head, [...rows, ["**total**", ...bills.map((bill) => `**${dollars(total(bill))}**`)]]);
}
function per1000(bill: Bill): Bill {
  return Object.fromEntries(Object.entries(bill).map(([item, cost]) => [item, 1_000 * cost]));
}

const month = total(idle) + total(metricsBill());
const tables: Record<string, string> = {
  idle: billTable(["a month", "US dollars"], [idle]),
  metrics: billTable(["a month", "US dollars"], [metricsBill()]),
  runs: billTable(
    ["1,000 runs of …", "1 step", "10 steps", "50 steps"],
    [1, 10, 50].map((steps) => per1000(runBill(steps))),
  ),
  months: table(
    ["runs of 10 steps a month", "US dollars a month"],
    [1_000, 100_000, 10_000_000].map((runs) => [
      runs.toLocaleString("en-US"),
      dollars(month + runs * total(runBill(10))),
    ]),
  ),
  extras: table(
    ["", "US dollars"],
    [
      [
        "1,000 first programs of an agent",
        dollars(1_000 * (programCost(assumed.firstProgramMilliseconds) + memory.sandbox * price.tenantGigabyte)),
      ],
      ["1,000 further programs", dollars(1_000 * programCost(assumed.programMilliseconds))],
      ["1,000 programs of 60 s", dollars(1_000 * programCost(60_000))],
      ["1,000 creates of 14 MB: data to the origin", dollars((14e9 / gigabyte) * price.originGigabyte)],
      [
        "1,000 PDFs of 100 pages",
        dollars(1_000 * lambda(memory.advance + memory.documents, assumed.documentMilliseconds)),
      ],
      ["an hour of events that are polled", dollars((3_600 / 2) * pollCost(2))],
      ["an hour of events that are polled, while a model answers", dollars(3_600 * pollCost(4) + textHour)],
      ["an hour of an open stream, without its server", dollars(streamHour(false))],
      ["an hour of an open stream while a model answers, without its server", dollars(streamHour(true))],
      ["an hour of an MCP client that waits", dollars((3_600 / 20) * lambda(memoryOf(service, "Mcp"), 20_000))],
      ["1,000,000 webhook deliveries", dollars(1e6 * deliveryCost(1, 0))],
      ["1,000,000 webhook deliveries that fail for a day", dollars(1e6 * deliveryCost(9, 5))],
      ...[2, 20, 200, 2_000].map((messages) => [
        `1,000,000 polls of ${messages.toLocaleString("en-US")} messages`,
        dollars(1e6 * pollCost(messages)),
      ]),
      ["1 GB-month of transcripts and steps", dollars(price.tableGigabyte)],
      ["1 GB-month of files", dollars(price.objectGigabyte)],
      ["1 GB-month of logs", dollars(price.logGigabyteMonth)],
    ],
  ),
  limits: table(
    ["at most a day", "limit", "US dollars"],
    [
      ["1 run that works all day", "`maxRunning`, `concurrentRuns`", dollars(workingDay())],
      ["10 runs: a new account's concurrency", "AWS's quota", dollars(10 * workingDay())],
      ["1,000 runs: an account's usual concurrency", "AWS's quota", dollars(1_000 * workingDay())],
      [
        `${usualThrottle.rate.toLocaleString("en-US")} polls a second`,
        "`requestsPerSecond`",
        dollars(usualThrottle.rate * daySeconds * pollCost(2)),
      ],
      [
        `${cdkJson.context.uploadsPerSecond} uploads of 20 MiB a second: data to the origin`,
        "`uploadsPerSecond`",
        dollars(cdkJson.context.uploadsPerSecond * daySeconds * ((20 * 2 ** 20) / gigabyte) * price.originGigabyte),
      ],
      ["1,000,000 requests that CloudFront rejects", "none", dollars(1e6 * edgeRequest)],
    ],
  ),
  fargate: billTable(["a month", "US dollars"], [fargateBill(withFargate.frontDoor?.resources ?? {})]),
  warm: table(["", "US dollars"], warmRows()),
  console: table(["", "US dollars"], consoleRows()),
  prices: table(
    ["price of one", "US dollars", "page"],
    priceList.map(([, value, unit, page]) => [
      unit,
      value.toLocaleString("en-US", { maximumSignificantDigits: 6, maximumFractionDigits: 10 }),
      page,
    ]),
  ),
  assumptions: table(
    ["assumption", "value", "basis"],
    assumptionList.map(([, value, unit, basis]) => [unit, value.toLocaleString("en-US"), basis]),
  ),
};

const file = fileURLToPath(new URL("../docs/cost.md", import.meta.url));
const current = readFileSync(file, "utf8");
const names = new Set(Object.keys(tables));
const updated = current.replaceAll(
  /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
  (_, start: string, name: string, end: string) => {
    if (!names.delete(name)) throw new Error(`docs/cost.md: unknown or repeated table ${name}`);
    return `${start}\n${tables[name]}\n\n${end}`;
  },
);
if (names.size > 0) throw new Error(`docs/cost.md has no table ${[...names].join(", ")}`);
if (!process.argv.includes("--check")) {
  writeFileSync(file, updated);
} else if (unaligned(current) !== unaligned(updated)) {
  console.error("docs/cost.md is stale: run npm run docs");
  process.exitCode = 1;
}

/** Removes the formatter's alignment of table columns. */
function unaligned(document: string): string {
  return document.replaceAll(/[ -]+/g, " ");
}
