import { shards } from "../src/platform/aws/dynamodb/table.ts";
import { sweepMinutes } from "../src/workflow/policy.ts";

/** US dollars per item. */
export type Bill = Record<string, number>;

/** The resources of a synthesized template, by logical id. */
export type Resources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;

/** Resources of a deployment. `frontDoor` is absent with `largeBodies` `off`, `webConsole` with `console` `off`. */
interface Deployment {
  service: Resources;
  frontDoor?: Resources | undefined;
  webConsole?: Resources | undefined;
}

const hours = 30 * 24; // of a month

/** US dollars: list prices of us-east-1, as in docs/cost.md, which has their sources and all other costs. */
const price = {
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 13.3334 / 1e6, // arm64
  warmGigabyteSecond: 3.3334 / 1e6,
  readUnit: 0.125 / 1e6,
  queueRequest: 0.4 / 1e6,
  logGigabyte: 0.5,
  metric: 0.3,
  alarm: 0.1, // for each of its metrics
  dashboard: 3,
  secret: 0.4,
  fargateProcessor: 0.03238, // an hour, arm64
  fargateGigabyte: 0.00356,
  balancer: 0.0225,
  publicAddress: 0.005,
};

/** Assumed: a sweep is billed 300 ms and logs 900 bytes. Lambda asks a queue over 5 connections. */
const [sweepMilliseconds, sweepLog, queuePollers] = [300, 900, 5];

/** SQS answers a request for messages after at most 20 seconds. */
const longPollSeconds = 20;

/** Lists that a sweep queries: running runs, waiting runs, counts. */
const sweptLists = 3;

/** What a deployment costs in a month without requests. */
export function idleBill({ service, frontDoor = {}, webConsole = {} }: Deployment): Bill {
  const sweeps = (hours * 60) / sweepMinutes;
  const alarms = [service, frontDoor, webConsole].flatMap((stack) => ofType(stack, "AWS::CloudWatch::Alarm"));
  const alarmMetrics = alarms.reduce((sum, alarm) => sum + billedMetrics(alarm), 0);
  const secrets = ofType(frontDoor, "AWS::SecretsManager::Secret").length;
  const sweep = lambdaCost(memoryOf(service, "Sweep"), sweepMilliseconds);
  return {
    [`${alarms.length} alarms, with ${alarmMetrics} metrics`]: alarmMetrics * price.alarm,
    "1 dashboard (the first three of an account are free)": price.dashboard,
    "2 metrics of the sweep": 2 * price.metric,
    ...(secrets > 0 && {
      [`${secrets} ${secrets === 1 ? "secret" : "secrets"} of the upload server`]: secrets * price.secret,
    }),
    [`${sweeps.toLocaleString("en-US")} sweeps, with their log`]:
      sweeps * (sweep + sweptLists * shards * 0.5 * price.readUnit + (sweepLog / 2 ** 30) * price.logGigabyte),
    ...emptyReceives(service),
    ...warmBill(service),
    ...fargateBill(frontDoor),
  };
}

/** Lambda asks a queue for messages all the time. DynamoDB does not bill Lambda's reads of a stream. */
function emptyReceives(service: Resources): Bill {
  const mappings = ofType(service, "AWS::Lambda::EventSourceMapping");
  const queues = mappings.filter(({ StartingPosition }) => StartingPosition === undefined).length; // streams have one
  const receives = (queues * queuePollers * hours * 3_600) / longPollSeconds;
  return {
    [`${receives.toLocaleString("en-US")} empty receives of the queue of webhooks`]: receives * price.queueRequest,
  };
}

/** What environments that are kept warm cost in a month. Empty with `warm` 0. */
function warmBill(service: Resources): Bill {
  const aliases = ofType(service, "AWS::Lambda::Alias") as unknown as LiveAlias[];
  if (aliases.length === 0) return {};
  let [environments, gigabytes] = [0, 0];
  for (const { FunctionName, ProvisionedConcurrencyConfig } of aliases) {
    const { ProvisionedConcurrentExecutions: count } = ProvisionedConcurrencyConfig;
    environments += count;
    gigabytes += count * (Number(service[FunctionName.Ref]?.Properties?.["MemorySize"]) / 1024);
  }
  return {
    [`${environments} warm environments of ${aliases.length} functions`]:
      gigabytes * hours * 3_600 * price.warmGigabyteSecond,
  };
}

interface LiveAlias {
  FunctionName: { Ref: string };
  ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: number };
}

/** A formula is billed for each of its metrics, a query for each metric with data: at least one. */
function billedMetrics(alarm: Record<string, unknown>): number {
  const metrics = alarm["Metrics"] as { MetricStat?: unknown }[] | undefined;
  return Math.max(1, metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1);
}

/** What the upload server costs in a month on Fargate. Empty if the front door does not use Fargate. */
function fargateBill(frontDoor: Resources): Bill {
  const [task] = ofType(frontDoor, "AWS::ECS::TaskDefinition");
  if (task === undefined) return {};
  const [processors, gigabytes] = [Number(task["Cpu"]) / 1024, Number(task["Memory"]) / 1024];
  return {
    [`1 task with ${processors} vCPU and ${gigabytes * 1024} MB, with its public address`]:
      hours * (processors * price.fargateProcessor + gigabytes * price.fargateGigabyte + price.publicAddress),
    "1 load balancer, without its traffic": hours * price.balancer,
    "38 metrics of Container Insights, 2 scaling alarms": 38 * price.metric + 2 * price.alarm,
  };
}

export function total(bill: Bill): number {
  return Object.values(bill).reduce((sum, cost) => sum + cost, 0);
}

/** An amount with two significant digits. */
export function dollars(amount: number): string {
  return Number(amount.toPrecision(2)).toLocaleString("en-US", { maximumSignificantDigits: 2 });
}

function lambdaCost(gigabytes: number, milliseconds: number): number {
  return price.lambdaRequest + ((gigabytes * milliseconds) / 1_000) * price.lambdaGigabyteSecond;
}

/** The properties of all resources of a type. */
export function ofType(resources: Resources, type: string): Record<string, unknown>[] {
  return Object.values(resources).flatMap(({ Type, Properties = {} }) => (Type === type ? [Properties] : []));
}

/** GB of a function, by its construct id. */
function memoryOf(service: Resources, name: string): number {
  const [, found] = Object.entries(service).find(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? [];
  if (!found) throw new Error(`the template has no function ${name}`);
  return Number(found.Properties?.["MemorySize"]) / 1024;
}
