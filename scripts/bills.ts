import type { RunTraffic } from "../bench/calls.ts";
import { metricUnits } from "../src/observability/metrics.ts";
import { failureCategories } from "../src/agent/model.ts";
import { shards } from "../src/platform/aws/table.ts";
import { sweepMinutes } from "../src/workflow/policy.ts";
import type { Priced } from "./priced.ts";
import { assumptions as assumed, prices } from "./prices.ts";

/** US dollars by what they are paid for. */
export type Bill = Record<string, number>;

const gigabyte = 2 ** 30; // as AWS counts it
const httpPart = 512 * 1024; // bytes of a request or an answer that API Gateway bills as one request

/** A month in which nothing runs and nobody calls. */
export function idleBill({ memory, alarms, dashboards, secrets }: Priced): Bill {
  const sweeps = (assumed.days * 24 * 60) / sweepMinutes;
  const reads = sweeps * shards * 0.5; // an empty page of an index, which is read without consistency
  return {
    [`${alarms} alarms`]: alarms * prices.alarmMonth,
    [`${dashboards} dashboard (an account's first three are free)`]: dashboards * prices.dashboardMonth,
    "2 metrics that the sweep writes": 2 * prices.metricMonth,
    [`${secrets} secret between CloudFront and the server of large bodies`]: secrets * prices.secretMonth,
    [`${sweeps.toLocaleString("en-US")} sweeps`]:
      lambda(sweeps, memory("Sweep"), assumed.sweepMilliseconds) + reads * prices.readUnit,
    "log of the sweeps": log(sweeps * 2 * assumed.invocationLog), // what Lambda writes, and two lines of the sweep's own
  };
}

/** What a month with runs in every hour has besides. */
export function metricsBill({ routes }: Priced): Bill {
  const own = Object.keys(metricUnits).length - 2;
  const perRoute = 6; // Count, 4xx, 5xx, Latency, IntegrationLatency, DataProcessed
  return {
    [`${own} metrics of runs, turns and large requests`]: own * prices.metricMonth,
    [`failed runs in up to ${failureCategories.length} categories`]: failureCategories.length * prices.metricMonth,
    [`API Gateway's ${perRoute} metrics of ${routes} routes`]: perRoute * routes * prices.metricMonth,
  };
}

/** A month of the container that takes the large bodies, and of what is around it. */
export function fargateBill({ task, balancers, alarms }: Priced["fargate"]): Bill {
  const hours = assumed.days * 24;
  // Ten of each of cluster, service and task family, five of the service, three of the cluster (AWS's list of them).
  const insights = 10 * 3 + 5 + 3;
  return {
    [`a task of ${task.processors} processors and ${task.gigabytes * 1024} MB`]:
      hours * (task.processors * prices.fargateProcessorHour + task.gigabytes * prices.fargateGigabyteHour),
    "its public address": hours * prices.publicAddressHour,
    [`${balancers} load balancer, without its traffic`]: hours * balancers * prices.balancerHour,
    [`${insights} metrics of Container Insights`]: insights * prices.metricMonth,
    [`${alarms} alarms of its scaling`]: alarms * prices.alarmMonth,
  };
}

/** A run from its create to its last poll, through the front door; the model's tokens are not in it. */
export function runBill(priced: Priced, steps: number, traffic: RunTraffic, poll: Poll): Bill {
  const { create, advance, transitions } = traffic;
  const { memory, retentionDays } = priced;
  const seconds = steps * assumed.stepSeconds;
  const { reads, writes } = tableUnits(traffic, seconds);
  const calls = [...create.calls, ...advance.calls];
  const months = retentionDays / assumed.days;
  const kept = (steps * assumed.keptBytes * (prices.tableGigabyteMonth + prices.recoveryGigabyteMonth)) / gigabyte;
  const files = ((create.putBytes + advance.putBytes) * prices.objectGigabyteMonth) / gigabyte;
  const polls = pollBill(priced, poll, assumed.polls);
  const traced = assumed.traced * prices.trace;
  return {
    [`${assumed.polls} polls`]: total(polls),
    "the create request":
      prices.httpRequest + edge(1) + lambda(1, memory("Create"), assumed.createMilliseconds) + log(createLog),
    "Lambda: the work": lambda(1, memory("Advance"), seconds * 1_000),
    "Step Functions: transitions and its trace": transitions * prices.transition + traced,
    "DynamoDB: reads and writes": reads * prices.readUnit + writes * prices.writeUnit,
    "S3: requests": calls.reduce((sum, { name }) => sum + (objectPrices[name] ?? 0), 0),
    [`DynamoDB and S3: kept for ${retentionDays} days`]: months * (kept + files),
    "Secrets Manager: the model's key": Math.ceil(seconds / keyCached) * prices.secretRequest,
    "logs of the work": log(assumed.invocationLog + steps * assumed.stepLog + transitions * assumed.transitionLog),
    "data to a model outside of AWS": transfer(steps * assumed.requestBytes),
  };
}

const keyCached = 300; // seconds that a process keeps a key
const createLog = assumed.invocationLog + assumed.createLog + assumed.accessLog;

/** LIST costs what PUT does. */
const objectPrices: Record<string, number> = {
  PutObject: prices.objectPut,
  ListObjects: prices.objectPut,
  GetObject: prices.objectGet,
};

/**
 * Units of a run that is worked on for so long: those that were counted, and its worker's looks. Every eighth look is a
 * renewal of the lease, a write to the run and to its entry in the list.
 */
export function tableUnits({ create, advance }: RunTraffic, seconds: number) {
  const renewals = Math.floor(seconds / assumed.renewSeconds);
  const looks = Math.floor(seconds / assumed.watchSeconds) - renewals;
  const list = create.units.list + advance.units.list + renewals;
  const running = create.units.running + advance.units.running;
  const writes = create.units.write + advance.units.write + 2 * renewals;
  return {
    reads: create.units.read + advance.units.read + looks,
    /** With those of both indexes. */
    writes,
    table: writes - list - running,
    list,
    running,
  };
}

/** What one poll reads, in units of the table, and answers, in bytes of its body. */
export interface Poll {
  reads: number;
  bytes: number;
}

/** So many polls. `frontDoor: false`: to API Gateway's own address. */
export function pollBill({ memory }: Priced, { reads, bytes }: Poll, polls: number, { frontDoor = true } = {}): Bill {
  const answers = polls * (bytes + assumed.headerBytes);
  return {
    CloudFront: frontDoor ? edge(polls) : 0,
    "API Gateway": polls * Math.ceil(bytes / httpPart) * prices.httpRequest,
    Lambda: lambda(polls, memory("Get"), assumed.getMilliseconds),
    DynamoDB: polls * reads * prices.readUnit,
    logs: log(polls * (assumed.invocationLog + assumed.accessLog)),
    "data to the client": frontDoor ? (answers / gigabyte) * prices.edgeGigabyte : transfer(answers),
  };
}

/** Programs of one run, over one small file each: the first makes an environment, and `advance` waits for all of them. */
export function programsBill({ memory }: Priced, calls: number, milliseconds?: number): Bill {
  const time = milliseconds ?? programMilliseconds(calls);
  return {
    "Lambda: the sandbox":
      calls * prices.lambdaRequest + (memory("SandboxFunction") * time * prices.lambdaGigabyteSecond) / 1_000,
    "Lambda: an environment for its agent": memory("SandboxFunction") * prices.tenantGigabyte,
    "Lambda: the run that waits": (memory("Advance") * time * prices.lambdaGigabyteSecond) / 1_000,
    // Two lists, before and after; the file it is given, and the file it writes.
    "S3: its files": calls * (3 * prices.objectPut + prices.objectGet),
    logs: log(calls * assumed.invocationLog),
  };
}

function programMilliseconds(calls: number): number {
  return assumed.firstProgramMilliseconds + (calls - 1) * assumed.programMilliseconds;
}

/** A document, read in `advance`: it takes its time and nothing else. */
export function documentBill({ memory }: Priced, pages: number): Bill {
  const time = (pages / 100) * assumed.documentMilliseconds;
  return { "Lambda: reading": (memory("Advance") * time * prices.lambdaGigabyteSecond) / 1_000 };
}

export function total(bill: Bill): number {
  return Object.values(bill).reduce((sum, each) => sum + each, 0);
}

/** Invocations that take so long when they are warm, and their share of starts. */
function lambda(invocations: number, gigabytes: number, milliseconds: number): number {
  const time = milliseconds + assumed.coldStarts * assumed.initMilliseconds;
  return invocations * (prices.lambdaRequest + (gigabytes * time * prices.lambdaGigabyteSecond) / 1_000);
}

/** What CloudFront takes for requests, and for the function that chooses their origin. */
function edge(requests: number): number {
  return requests * (prices.edgeRequest + prices.edgeFunction);
}

function log(bytes: number): number {
  return (bytes / gigabyte) * prices.logGigabyte;
}

function transfer(bytes: number): number {
  return (bytes / gigabyte) * prices.transferGigabyte;
}
