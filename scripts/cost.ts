import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { metricUnits } from "../lambdas/metrics.ts";
import { shards } from "../lambdas/stores/aws/table.ts";
import { sweepMinutes } from "../lambdas/workflow/payload.ts";
import { serviceApp } from "../lib/service-app.ts";
import { awsHome } from "../bench/aws-home.ts";
import { measureRun, type RunTraffic } from "../bench/calls.ts";
import { table, withTables } from "./document-tables.ts";
import { assumptions as assumed, prices } from "./prices.ts";

const file = fileURLToPath(new URL("../docs/cost.md", import.meta.url));

/** Dollars by what they are paid for. */
type Bill = Record<string, number>;

/** What of the deployed stack has a price: memory of the functions in GB, and how many of everything else. */
interface Priced {
  memory: (name: string) => number;
  alarms: number;
  dashboards: number;
  routes: number;
}

/** docs/cost.md with its tables as they are now: from the template, the counted calls and the prices. */
export async function costDocument(): Promise<string> {
  const priced = pricedIn(resourcesOf("off").service);
  const home = await awsHome({ delay: 0 });
  try {
    const runs: [steps: number, bill: Bill][] = [];
    for (const steps of [1, 10, 50]) runs.push([steps, runBill(priced, steps, await measureRun(home, steps, 1))]);
    const polls = pollBill(priced, await measureRun(home, 1, 0).then(({ poll }) => poll.units.read), 1e6);
    return withTables(readFileSync(file, "utf8"), {
      prices: list({ ...prices }),
      assumptions: list({ ...assumed }),
      idle: table(["a month", "US dollars"], rowsOf([idleBill(priced)])),
      fargate: table(["a month", "US dollars"], rowsOf([fargateBill(resourcesOf("fargate").frontDoor)])),
      metrics: table(["a month in use", "US dollars"], rowsOf([metricsBill(priced)])),
      runs: table(
        ["a run of …", ...runs.map(([steps]) => `${steps} step${steps > 1 ? "s" : ""}`)],
        rowsOf(runs.map(([, bill]) => bill)),
      ),
      polls: table(["a million polls", "US dollars"], rowsOf([polls])),
    });
  } finally {
    await home.close();
  }
}

function idleBill({ memory, alarms, dashboards }: Priced): Bill {
  const sweeps = (assumed.days * 24 * 60) / sweepMinutes;
  const reads = sweeps * shards * 0.5; // an empty page of an index, which is read without consistency
  return {
    [`${alarms} alarms`]: alarms * prices.alarmMonth,
    [`${dashboards} dashboard (an account's first three are free)`]: dashboards * prices.dashboardMonth,
    "2 metrics that the sweep writes": 2 * prices.metricMonth,
    [`${sweeps.toLocaleString("en-US")} sweeps`]:
      lambda(sweeps, memory("Sweep"), assumed.sweepMilliseconds) + reads * prices.readUnit,
    "log of the sweeps": log(sweeps * (assumed.invocationLog + 500)),
  };
}

function metricsBill({ routes }: Priced): Bill {
  const own = Object.keys(metricUnits).length - 2;
  const categories = 6;
  const perRoute = 6; // Count, 4xx, 5xx, Latency, IntegrationLatency, DataProcessed
  return {
    [`${own} metrics of runs and turns`]: own * prices.metricMonth,
    [`failed runs in up to ${categories} categories`]: categories * prices.metricMonth,
    [`API Gateway's ${perRoute} metrics of ${routes} routes`]: perRoute * routes * prices.metricMonth,
  };
}

function runBill(priced: Priced, steps: number, { create, advance, poll, transitions }: RunTraffic): Bill {
  const { memory } = priced;
  const seconds = steps * assumed.stepSeconds;
  const looks = seconds / assumed.watchSeconds;
  const polls = pollBill(priced, poll.units.read, assumed.polls);
  const puts = [...create.calls, ...advance.calls].filter(
    ({ name }) => name === "PutObject" || name === "ListObjects",
  ).length;
  const gets = advance.calls.filter(({ name }) => name === "GetObject").length;
  const [reads, writes] = [create.units.read + advance.units.read + looks, create.units.write + advance.units.write];
  return {
    [`${assumed.polls} polls`]: Object.values(polls).reduce((sum, each) => sum + each, 0),
    "the create request": prices.httpRequest + lambda(1, memory("Create"), assumed.createMilliseconds),
    "Lambda: the work": lambda(1, memory("Advance"), seconds * 1_000),
    "Step Functions: transitions and traces": transitions * prices.transition + assumed.traced * prices.trace,
    "DynamoDB: reads and writes": reads * prices.readUnit + writes * prices.writeUnit,
    "S3: requests": puts * prices.objectPut + gets * prices.objectGet,
    logs: log(
      2 * assumed.invocationLog + assumed.accessLog + steps * assumed.stepLog + transitions * assumed.transitionLog,
    ),
  };
}

function pollBill({ memory }: Priced, reads: number, polls: number): Bill {
  return {
    "API Gateway": polls * prices.httpRequest,
    Lambda: lambda(polls, memory("Get"), assumed.getMilliseconds),
    DynamoDB: polls * reads * prices.readUnit,
    logs: log(polls * (assumed.invocationLog + assumed.accessLog)),
  };
}

function lambda(invocations: number, gigabytes: number, milliseconds: number): number {
  return invocations * (prices.lambdaRequest + (gigabytes * milliseconds * prices.lambdaGigabyteSecond) / 1_000);
}

function log(bytes: number): number {
  return (bytes / 1e9) * prices.logGigabyte;
}

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

/** What both stacks consist of, with large bodies going to that home. */
function resourcesOf(largeBodies: string): { service: Resources; frontDoor: Resources } {
  const { app, stack, frontDoor } = serviceApp({ "aws:cdk:bundling-stacks": [], largeBodies });
  const assembly = app.synth();
  const resources = (id: string | undefined): Resources =>
    id === undefined ? {} : (assembly.getStackArtifact(id).template as { Resources: Resources }).Resources;
  return { service: resources(stack.artifactId), frontDoor: resources(frontDoor?.artifactId) };
}

/** What the front door costs around the clock where a container of Fargate takes the large bodies. */
function fargateBill(resources: Resources): Bill {
  const hours = assumed.days * 24;
  const found = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
  const bills = found("AWS::ECS::TaskDefinition").map(({ Properties: { Cpu, Memory } }): Bill => {
    const hourly =
      (Number(Cpu) / 1024) * prices.fargateProcessorHour + (Number(Memory) / 1024) * prices.fargateGigabyteHour;
    return {
      [`a task of ${Number(Cpu) / 1024} processors and ${Number(Memory)} MB`]: hours * hourly,
      "its public address": hours * prices.publicAddressHour,
    };
  });
  const balancers = found("AWS::ElasticLoadBalancingV2::LoadBalancer").length;
  return { ...bills[0], [`${balancers} load balancer, without its traffic`]: hours * balancers * prices.balancerHour };
}

function pricedIn(resources: Resources): Priced {
  const all = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);
  const functions = all("AWS::Lambda::Function");
  return {
    memory(name) {
      const [, found] = functions.find(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? [];
      if (!found) throw new Error(`there is no function ${name} in the template`);
      return Number(found.Properties["MemorySize"]) / 1024;
    },
    alarms: all("AWS::CloudWatch::Alarm").length,
    dashboards: all("AWS::CloudWatch::Dashboard").length,
    routes: all("AWS::ApiGatewayV2::Route").length,
  };
}

/** One row for each item, one column for each bill, and what they come to. */
function rowsOf(bills: Bill[]): string[][] {
  const items = Object.keys(bills[0] ?? {});
  const total = (bill: Bill): number => Object.values(bill).reduce((sum, each) => sum + each, 0);
  return [
    ...items.map((item) => [item].concat(bills.map((bill) => dollars(bill[item] ?? 0)))),
    ["**together**", ...bills.map((bill) => `**${dollars(total(bill))}**`)],
  ];
}

/** Two digits that matter, and never more precise than a millionth. */
function dollars(amount: number): string {
  return amount >= 1 ? amount.toFixed(2) : amount.toFixed(amount >= 0.01 ? 3 : 6);
}

function list(values: Record<string, string | number>): string {
  return table(
    ["constant", "value"],
    Object.entries(values).map(([name, value]) => [
      `\`${name}\``,
      String(Number(value) ? Number(Number(value).toPrecision(6)) : value),
    ]),
  );
}

if (import.meta.main) writeFileSync(file, await costDocument());
