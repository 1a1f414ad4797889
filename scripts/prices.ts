import { renewalMilliseconds, watchMilliseconds } from "../src/runs/leases.ts";

/** Where all figures here hold, and the day on which they were compared with what is public. */
export const region = "us-east-1";
export const checked = "2026-11-21";

/**
 * How a figure was seen that day, always in public copies. `page`: on AWS's own page. `list`: AWS's price list, as several
 * public projects quote it with its usage types, the latest of September 2026. `quoted`: by others than AWS alone.
 */
export type Seen = "page" | "list" | "quoted";

/** Prices on demand in US dollars, without free tiers, volume tiers and discounts; pages are of aws.amazon.com. */
export const priceList = {
  httpRequest: { value: 1 / 1e6, unit: "request to an HTTP API, by 512 KB", page: "api-gateway/pricing", seen: "list" },
  edgeRequest: {
    value: 0.01 / 1e4,
    unit: "HTTPS request from North America",
    page: "cloudfront/pricing",
    seen: "list",
  },
  edgeFunction: { value: 0.1 / 1e6, unit: "call of a CloudFront function", page: "cloudfront/pricing", seen: "quoted" },
  edgeGigabyte: { value: 0.085, unit: "GB out to North America", page: "cloudfront/pricing", seen: "page" },
  transferGigabyte: { value: 0.09, unit: "GB out to the internet", page: "ec2/pricing/on-demand", seen: "list" },
  lambdaRequest: { value: 0.2 / 1e6, unit: "invocation", page: "lambda/pricing", seen: "list" },
  lambdaGigabyteSecond: { value: 0.0000133334, unit: "GB-second, arm64", page: "lambda/pricing", seen: "list" },
  tenantGigabyte: {
    value: 0.000167,
    unit: "GB of a tenant's new environment (of x86)",
    page: "lambda/pricing",
    seen: "page",
  },
  readUnit: { value: 0.125 / 1e6, unit: "read unit", page: "dynamodb/pricing/on-demand", seen: "list" },
  writeUnit: { value: 0.625 / 1e6, unit: "write unit", page: "dynamodb/pricing/on-demand", seen: "list" },
  tableGigabyteMonth: { value: 0.25, unit: "GB in the table, month", page: "dynamodb/pricing/on-demand", seen: "list" },
  recoveryGigabyteMonth: {
    value: 0.2,
    unit: "GB with recovery, month",
    page: "dynamodb/pricing/on-demand",
    seen: "list",
  },
  transition: { value: 0.025 / 1e3, unit: "state transition", page: "step-functions/pricing", seen: "page" },
  objectPut: { value: 0.005 / 1e3, unit: "PUT or LIST", page: "s3/pricing", seen: "list" },
  objectGet: { value: 0.0004 / 1e3, unit: "GET", page: "s3/pricing", seen: "list" },
  objectGigabyteMonth: { value: 0.023, unit: "GB of objects, month", page: "s3/pricing", seen: "list" },
  logGigabyte: { value: 0.5, unit: "GB of log taken in", page: "cloudwatch/pricing", seen: "list" },
  logGigabyteMonth: { value: 0.03, unit: "GB of log, compressed, month", page: "cloudwatch/pricing", seen: "list" },
  metricMonth: { value: 0.3, unit: "custom metric, month", page: "cloudwatch/pricing", seen: "list" },
  alarmMonth: { value: 0.1, unit: "alarm, month", page: "cloudwatch/pricing", seen: "list" },
  dashboardMonth: { value: 3, unit: "dashboard, month", page: "cloudwatch/pricing", seen: "quoted" },
  trace: { value: 5 / 1e6, unit: "trace", page: "xray/pricing", seen: "page" },
  secretMonth: { value: 0.4, unit: "secret, month", page: "secrets-manager/pricing", seen: "list" },
  secretRequest: { value: 0.05 / 1e4, unit: "secret read", page: "secrets-manager/pricing", seen: "list" },
  fargateProcessorHour: { value: 0.03238, unit: "processor, arm64, hour", page: "fargate/pricing", seen: "list" },
  fargateGigabyteHour: { value: 0.00356, unit: "GB of memory, arm64, hour", page: "fargate/pricing", seen: "list" },
  balancerHour: { value: 0.0225, unit: "load balancer, hour", page: "elasticloadbalancing/pricing", seen: "list" },
  publicAddressHour: { value: 0.005, unit: "public address, hour", page: "vpc/pricing", seen: "list" },
} as const satisfies Record<string, { value: number; unit: string; page: string; seen: Seen }>;

export const prices = valuesOf(priceList);

/**
 * What a local machine can't say, and how it is known: `measured` here (November 2026, the median of a busy machine),
 * `documented` by AWS, or `assumed`.
 */
export const assumptionList = {
  polls: { value: 60, unit: "polls of a run", basis: "assumed" },
  stepSeconds: { value: 5, unit: "seconds of a step: the model's answer and a quick tool", basis: "assumed" },
  createMilliseconds: { value: 60, unit: "ms billed of a create", basis: "assumed" },
  getMilliseconds: { value: 15, unit: "ms billed of a poll", basis: "assumed" },
  sweepMilliseconds: { value: 300, unit: "ms billed of a sweep", basis: "assumed" },
  coldStarts: { value: 0.01, unit: "of all invocations start a process", basis: "documented" },
  initMilliseconds: { value: 300, unit: "ms billed of such a start", basis: "measured, the runtime's assumed" },
  programMilliseconds: {
    value: 600,
    unit: "ms of a shell script; JavaScript takes 90, Python 1,300",
    basis: "measured",
  },
  firstProgramMilliseconds: {
    value: 2_000,
    unit: "ms of a run's first program, in a new environment",
    basis: "measured, Lambda's start assumed",
  },
  documentMilliseconds: { value: 200, unit: "ms for 100 pages of PDF", basis: "measured" },
  requestBytes: { value: 80_000, unit: "bytes to the model in a step: 20,000 tokens", basis: "assumed" },
  headerBytes: { value: 600, unit: "bytes of an answer beside its body", basis: "assumed" },
  keptBytes: { value: 4_000, unit: "bytes that a step leaves in the table", basis: "assumed" },
  invocationLog: { value: 450, unit: "bytes of log of an invocation: start and report", basis: "documented form" },
  createLog: { value: 450, unit: "bytes of log of a create, besides: a line and its metric", basis: "measured" },
  stepLog: { value: 1_350, unit: "bytes of log of a step: four lines and its metrics", basis: "measured" },
  accessLog: { value: 350, unit: "bytes of API Gateway's log of a request", basis: "measured" },
  transitionLog: { value: 900, unit: "bytes of log of a state transition", basis: "documented form" },
  traced: { value: 1, unit: "of all executions are traced; of many at once 5 %", basis: "documented" },
  watchSeconds: {
    value: watchMilliseconds / 1_000,
    unit: "seconds between a worker's looks at its run",
    basis: "the code's",
  },
  renewSeconds: {
    value: renewalMilliseconds / 1_000,
    unit: "seconds between renewals of its lease",
    basis: "the code's",
  },
  days: { value: 30, unit: "days of a month", basis: "assumed" },
} as const satisfies Record<string, { value: number; unit: string; basis: string }>;

export const assumptions = valuesOf(assumptionList);

/**
 * What an account may do in one region before AWS refuses, by default; most of it is raised on request. `elsewhere`: in
 * other regions, where it is less. Pages are of docs.aws.amazon.com, all of them seen.
 */
export const quotaList = {
  edgeRequests: {
    value: 250_000,
    unit: "CloudFront: requests a second",
    page: "AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html",
  },
  httpRequests: {
    value: 10_000,
    elsewhere: 2_500,
    unit: "API Gateway: requests a second",
    page: "apigateway/latest/developerguide/limits.html",
  },
  concurrency: {
    value: 1_000,
    unit: "Lambda: concurrent executions",
    page: "lambda/latest/dg/gettingstarted-limits.html",
  },
  newEnvironments: {
    value: 100,
    unit: "Lambda: new environments of a function a second",
    page: "lambda/latest/dg/scaling-behavior.html",
  },
  tenantEnvironments: {
    value: 2_500,
    unit: "Lambda: environments of tenants, for 1,000 concurrent executions",
    page: "lambda/latest/dg/tenant-isolation.html",
  },
  startExecution: {
    value: 300,
    elsewhere: 150,
    unit: "Step Functions: StartExecution a second",
    page: "step-functions/latest/dg/service-quotas.html",
  },
  startBucket: {
    value: 1_300,
    elsewhere: 800,
    unit: "Step Functions: StartExecution at once",
    page: "step-functions/latest/dg/service-quotas.html",
  },
  stateTransition: {
    value: 5_000,
    elsewhere: 800,
    unit: "Step Functions: state transitions a second",
    page: "step-functions/latest/dg/service-quotas.html",
  },
  openExecutions: {
    value: 1_000_000,
    unit: "Step Functions: open executions",
    page: "step-functions/latest/dg/service-quotas.html",
  },
  listExecutions: {
    value: 5,
    elsewhere: 2,
    unit: "Step Functions: pages of ListExecutions a second",
    page: "step-functions/latest/dg/service-quotas.html",
  },
  tableUnits: {
    value: 40_000,
    unit: "DynamoDB: read units, and write units, of a table or an index a second",
    page: "amazondynamodb/latest/developerguide/ServiceQuotas.html",
  },
  newTableWrites: {
    value: 4_000,
    unit: "DynamoDB: writes a second of a new table",
    page: "amazondynamodb/latest/developerguide/on-demand-capacity-mode.html",
  },
  partitionReads: {
    value: 3_000,
    unit: "DynamoDB: read units of a partition a second",
    page: "amazondynamodb/latest/developerguide/bp-partition-key-design.html",
  },
  partitionWrites: {
    value: 1_000,
    unit: "DynamoDB: write units of a partition a second",
    page: "amazondynamodb/latest/developerguide/bp-partition-key-design.html",
  },
  prefixWrites: {
    value: 3_500,
    unit: "S3: requests that write or list, of a prefix a second",
    page: "AmazonS3/latest/userguide/optimizing-performance.html",
  },
} as const satisfies Record<string, { value: number; elsewhere?: number; unit: string; page: string }>;

export type Quota = keyof typeof quotaList;
export const quotas = valuesOf(quotaList);

function valuesOf<Name extends string>(list: Record<Name, { value: number }>): Record<Name, number> {
  const entries = Object.entries<{ value: number }>(list).map(([name, { value }]) => [name, value]);
  return Object.fromEntries(entries) as Record<Name, number>;
}
