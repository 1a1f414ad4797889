/** Public prices on demand in us-east-1, in US dollars, without free tiers and discounts. */
export const prices = {
  date: "2026-11-21",
  region: "us-east-1",
  /** aws.amazon.com/api-gateway/pricing: HTTP API, a request of up to 512 KB, of the first 300 million a month. */
  httpRequest: 1 / 1e6,
  /** aws.amazon.com/lambda/pricing: arm64. */
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  /** aws.amazon.com/dynamodb/pricing/on-demand: standard class. Storage: a GB and month, with what recovery adds. */
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  tableGigabyteMonth: 0.25 + 0.2,
  /** aws.amazon.com/step-functions/pricing: Standard. */
  transition: 0.025 / 1e3,
  /** aws.amazon.com/s3/pricing: Standard. */
  objectPut: 0.005 / 1e3,
  objectGet: 0.0004 / 1e3,
  objectGigabyteMonth: 0.023,
  /** aws.amazon.com/cloudwatch/pricing: a GB of log taken in; a metric, an alarm, a dashboard for a month. */
  logGigabyte: 0.5,
  metricMonth: 0.3,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  /** aws.amazon.com/xray/pricing. */
  trace: 5 / 1e6,
  /** An hour, by aws.amazon.com/fargate/pricing (Linux, arm64), elasticloadbalancing/pricing, vpc/pricing. */
  fargateProcessorHour: 0.03238,
  fargateGigabyteHour: 0.00356,
  balancerHour: 0.0225,
  publicAddressHour: 0.005,
} as const;

/** What the counted calls do not say: times and sizes of a usual run, and what AWS itself writes into logs. */
export const assumptions = {
  polls: 60,
  /** Seconds from a model call to the next: the model's answer and the tool. */
  stepSeconds: 5,
  /** Billed milliseconds of one warm request. */
  createMilliseconds: 60,
  getMilliseconds: 15,
  sweepMilliseconds: 300,
  /** Bytes of log: of a Lambda invocation (start, end, report), a line of the access log, a step, a transition. */
  invocationLog: 900,
  accessLog: 400,
  stepLog: 1_600,
  transitionLog: 1_800,
  /** Share of executions that X-Ray samples beyond the first of every second. */
  traced: 0.05,
  /** Days of a month, and seconds between a worker's looks at whether its run was stopped. */
  days: 30,
  watchSeconds: 2,
} as const;

/**
 * What an account may do in one region before AWS refuses, in units a second unless it says otherwise: the defaults of
 * us-east-1, most of which are raised on request. Their documentation names them so.
 */
export const quotas = {
  /** API Gateway, throttle of an account: requests. */
  httpRequests: 10_000,
  /** Lambda: concurrent executions. */
  concurrency: 1_000,
  /** Step Functions, Standard: StartExecution, StateTransition, and open executions at one time. */
  startExecution: 300,
  stateTransition: 5_000,
  openExecutions: 1_000_000,
  /** DynamoDB on demand: units of one table, of one partition. */
  tableReads: 40_000,
  tableWrites: 40_000,
  partitionReads: 3_000,
  partitionWrites: 1_000,
  /** Step Functions: pages of ListExecutions, each of 1,000. */
  listExecutions: 5,
} as const;
