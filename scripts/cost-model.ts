// Writes the tables of docs/cost.md. With --check, fails if they are stale and writes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import cdkJson from "../cdk.json" with { type: "json" };
import { serviceApp } from "../lib/service-app.ts";
import { failureCategories } from "../src/agent/model.ts";
import { metricUnits } from "../src/observability/metrics.ts";
import { shards } from "../src/platform/aws/table.ts";
import { sweepMinutes } from "../src/workflow/policy.ts";

/**
 * On-demand prices in US dollars: us-east-1, without free tiers and discounts. Checked on 2026-11-21 in public copies of
 * AWS's price list or of the page below aws.amazon.com. *: quoted by third parties only.
 */
const priceList = [
  ["httpRequest", 1 / 1e6, "HTTP API request, per 512 KB", "api-gateway/pricing"],
  ["edgeRequest", 1 / 1e6, "CloudFront HTTPS request, North America", "cloudfront/pricing"],
  ["edgeFunction", 0.1 / 1e6, "CloudFront function call *", "cloudfront/pricing"],
  ["edgeGigabyte", 0.085, "GB from CloudFront to North America", "cloudfront/pricing"],
  ["transferGigabyte", 0.09, "GB from AWS to the internet", "ec2/pricing/on-demand"],
  ["lambdaRequest", 0.2 / 1e6, "Lambda invocation", "lambda/pricing"],
  ["lambdaGigabyteSecond", 13.3334 / 1e6, "Lambda GB-second, arm64", "lambda/pricing"],
  ["tenantGigabyte", 167 / 1e6, "GB of a new tenant environment (x86 price)", "lambda/pricing"],
  ["readUnit", 0.125 / 1e6, "DynamoDB read unit", "dynamodb/pricing/on-demand"],
  ["writeUnit", 0.625 / 1e6, "DynamoDB write unit", "dynamodb/pricing/on-demand"],
  ["tableGigabyte", 0.25 + 0.2, "GB-month in DynamoDB, with recovery", "dynamodb/pricing/on-demand"],
  ["transition", 25 / 1e6, "Step Functions state transition", "step-functions/pricing"],
  ["objectPut", 5 / 1e6, "S3 PUT or LIST", "s3/pricing"],
  ["objectGet", 0.4 / 1e6, "S3 GET", "s3/pricing"],
  ["objectGigabyte", 0.023, "GB-month in S3", "s3/pricing"],
  ["logGigabyte", 0.5, "GB of log ingested", "cloudwatch/pricing"],
  ["logGigabyteMonth", 0.03, "GB-month of log, compressed", "cloudwatch/pricing"],
  ["metric", 0.3, "custom metric, month", "cloudwatch/pricing"],
  ["alarm", 0.1, "metric of an alarm, month", "cloudwatch/pricing"],
  ["dashboard", 3, "dashboard, month *", "cloudwatch/pricing"],
  ["trace", 5 / 1e6, "X-Ray trace", "xray/pricing"],
  ["secret", 0.4, "secret, month", "secrets-manager/pricing"],
  ["secretRead", 5 / 1e6, "secret read", "secrets-manager/pricing"],
  ["fargateProcessor", 0.03238, "Fargate vCPU-hour, arm64", "fargate/pricing"],
  ["fargateGigabyte", 0.00356, "Fargate GB-hour, arm64", "fargate/pricing"],
  ["balancer", 0.0225, "load balancer hour", "elasticloadbalancing/pricing"],
  ["publicAddress", 0.005, "public IPv4 address hour", "vpc/pricing"],
] as const;

/** What the code and the templates do not determine. `counted`: AWS calls of the real handlers on a test double. */
const assumptionList = [
  ["polls", 60, "polls of a run", "assumed"],
  ["stepSeconds", 5, "seconds of a step", "assumed"],
  ["createMilliseconds", 60, "ms billed for a create", "assumed"],
  ["pollMilliseconds", 18, "ms billed for a poll, with 1 % cold starts of 300 ms", "assumed"],
  ["sweepMilliseconds", 300, "ms billed for a sweep", "assumed"],
  ["readUnits", 6, "DynamoDB read units of a run", "counted"],
  ["stepReadUnits", 2.2, "DynamoDB read units of a step", "counted"],
  ["writeUnits", 7, "DynamoDB write units of a run", "counted"],
  ["stepWriteUnits", 15.6, "DynamoDB write units of a step, with lease renewals", "counted"],
  ["transitions", 5, "billed state transitions of a run", "counted"],
  ["storedBytes", 4_000, "bytes that a step stores in DynamoDB", "assumed"],
  ["requestBytes", 80_000, "bytes that a step sends to the model: 20,000 tokens", "assumed"],
  ["runLog", 5_000, "bytes of log of a run, without its steps", "measured"],
  ["stepLog", 1_350, "bytes of log of a step", "measured"],
  ["requestLog", 800, "bytes of log of an API request", "measured"],
  ["programMilliseconds", 600, "ms of a shell script; JavaScript 90, Python 1,300", "measured"],
  ["firstProgramMilliseconds", 2_000, "ms of an agent's first program, in a new environment", "assumed"],
  ["documentMilliseconds", 200, "ms to read 100 pages of PDF", "measured"],
] as const;

const valuesOf = <Name extends string>(list: readonly (readonly [Name, number, ...unknown[]])[]) =>
  Object.fromEntries(list.map(([name, value]) => [name, value])) as Record<Name, number>;
const price = valuesOf(priceList);
const assumed = valuesOf(assumptionList);

const hours = 30 * 24; // of a month
const gigabyte = 2 ** 30;
const { service, frontDoor } = templates("web-function");
const memory = {
  create: memoryOf("Create"),
  get: memoryOf("Get"),
  advance: memoryOf("Advance"),
  sweep: memoryOf("Sweep"),
  sandbox: memoryOf("SandboxFunction"),
};

/** US dollars per item. */
type Bill = Record<string, number>;

function idleBill(): Bill {
  const sweeps = (hours * 60) / sweepMinutes;
  const alarms = [service, frontDoor].flatMap((stack) => ofType(stack, "AWS::CloudWatch::Alarm"));
  const alarmMetrics = alarms.reduce((sum, alarm) => sum + billedMetrics(alarm), 0);
  const secrets = ofType(frontDoor, "AWS::SecretsManager::Secret").length;
  return {
    [`${alarms.length} alarms, with ${alarmMetrics} metrics`]: alarmMetrics * price.alarm,
    "1 dashboard (the first three of an account are free)": price.dashboard,
    "2 metrics of the sweep": 2 * price.metric,
    [`${secrets} secret of the upload server`]: secrets * price.secret,
    [`${sweeps.toLocaleString("en-US")} sweeps, with their log`]:
      sweeps * (lambda(memory.sweep, assumed.sweepMilliseconds) + shards * 0.5 * price.readUnit + log(900)),
  };
}

/** A formula is billed for each of its metrics, a query for each metric with data: at least one. */
function billedMetrics(alarm: Record<string, unknown>): number {
  const metrics = alarm["Metrics"] as { MetricStat?: unknown }[] | undefined;
  return Math.max(1, metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1);
}

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
  return {
    "API: one create and its polls": create + log(assumed.requestLog) + assumed.polls * pollCost(2),
    "Lambda: the turn": lambda(memory.advance, seconds * 1_000),
    "Step Functions: transitions and a trace": assumed.transitions * price.transition + price.trace,
    "DynamoDB: reads and writes": reads * price.readUnit + writes * price.writeUnit,
    [`DynamoDB: storage for ${cdkJson.context.retentionDays} days`]:
      ((steps * assumed.storedBytes) / gigabyte) * price.tableGigabyte * months,
    "S3 and Secrets Manager: requests":
      2 * price.objectPut + steps * price.objectGet + Math.ceil(seconds / 300) * price.secretRead,
    "CloudWatch: logs": log(assumed.runLog + steps * assumed.stepLog),
    "Data to a model outside AWS": ((steps * assumed.requestBytes) / gigabyte) * price.transferGigabyte,
  };
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

/** `advance` waits for the program, so both functions are billed. A program lists the workspace twice and writes a file. */
function programCost(milliseconds: number): number {
  const objects = 3 * price.objectPut + price.objectGet;
  return lambda(memory.sandbox + memory.advance, milliseconds) + objects + log(450);
}

function fargateBill(): Bill {
  const { frontDoor: stack } = templates("fargate");
  const [task] = ofType(stack, "AWS::ECS::TaskDefinition");
  const [processors, gigabytes] = [Number(task?.["Cpu"]) / 1024, Number(task?.["Memory"]) / 1024];
  return {
    [`1 task with ${processors} vCPU and ${gigabytes * 1024} MB, with its public address`]:
      hours * (processors * price.fargateProcessor + gigabytes * price.fargateGigabyte + price.publicAddress),
    "1 load balancer, without its traffic": hours * price.balancer,
    "38 metrics of Container Insights, 2 scaling alarms": 38 * price.metric + 2 * price.alarm,
  };
}

const edgeRequest = price.edgeRequest + price.edgeFunction;
function lambda(gigabytes: number, milliseconds: number): number {
  return price.lambdaRequest + ((gigabytes * milliseconds) / 1_000) * price.lambdaGigabyteSecond;
}
function log(bytes: number): number {
  return (bytes / gigabyte) * price.logGigabyte;
}
function total(bill: Bill): number {
  return Object.values(bill).reduce((sum, cost) => sum + cost, 0);
}

type Resource = { Type: string; Properties: Record<string, unknown> };
type Resources = Record<string, Resource>;

function templates(largeBodies: string): { service: Resources; frontDoor: Resources } {
  const context = { ...cdkJson.context, "aws:cdk:bundling-stacks": [], largeBodies };
  const { app, stack, frontDoor: frontDoorStack } = serviceApp(context);
  const assembly = app.synth();
  const resourcesOf = (id = "") => (assembly.getStackArtifact(id).template as { Resources: Resources }).Resources;
  return { service: resourcesOf(stack.artifactId), frontDoor: resourcesOf(frontDoorStack?.artifactId) };
}
function ofType(resources: Resources, type: string): Record<string, unknown>[] {
  return Object.values(resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));
}
function memoryOf(name: string): number {
  const [, found] = Object.entries(service).find(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? [];
  if (!found) throw new Error(`the template has no function ${name}`);
  return Number(found.Properties["MemorySize"]) / 1024;
}

/** Two significant digits. */
function dollars(amount: number): string {
  return Number(amount.toPrecision(2)).toLocaleString("en-US", { maximumSignificantDigits: 2 });
}
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

const month = total(idleBill()) + total(metricsBill());
const tables: Record<string, string> = {
  idle: billTable(["a month", "US dollars"], [idleBill()]),
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
      ["1,000 PDFs of 100 pages", dollars(1_000 * lambda(memory.advance, assumed.documentMilliseconds))],
      ...[2, 20, 200, 2_000].map((messages) => [
        `1,000,000 polls of ${messages.toLocaleString("en-US")} messages`,
        dollars(1e6 * pollCost(messages)),
      ]),
      ["1 GB-month of transcripts and steps", dollars(price.tableGigabyte)],
      ["1 GB-month of files", dollars(price.objectGigabyte)],
      ["1 GB-month of logs", dollars(price.logGigabyteMonth)],
    ],
  ),
  fargate: billTable(["a month", "US dollars"], [fargateBill()]),
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
