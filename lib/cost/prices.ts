/**
 * On-demand prices in US dollars: us-east-1, without free tiers and discounts. Checked on 2026-11-21 in public copies of
 * AWS's price list or of the page below aws.amazon.com. *: quoted by third parties only.
 */
export const priceList = [
  ["httpRequest", 1 / 1e6, "HTTP API request, per 512 KB", "api-gateway/pricing"],
  ["edgeRequest", 1 / 1e6, "CloudFront HTTPS request, North America", "cloudfront/pricing"],
  ["edgeFunction", 0.1 / 1e6, "CloudFront function call *", "cloudfront/pricing"],
  ["edgeGigabyte", 0.085, "GB from CloudFront to North America", "cloudfront/pricing"],
  ["originGigabyte", 0.02, "GB from CloudFront to an origin, North America *", "cloudfront/pricing"],
  ["transferGigabyte", 0.09, "GB from AWS to the internet", "ec2/pricing/on-demand"],
  ["lambdaRequest", 0.2 / 1e6, "Lambda invocation", "lambda/pricing"],
  ["lambdaGigabyteSecond", 13.3334 / 1e6, "Lambda GB-second, arm64", "lambda/pricing"],
  ["warmGigabyteSecond", 3.3334 / 1e6, "GB-second of an environment kept warm, arm64 *", "lambda/pricing"],
  ["warmUseGigabyteSecond", 7.7778 / 1e6, "GB-second of its use, arm64 *", "lambda/pricing"],
  ["diskGigabyteSecond", 0.0309 / 1e6, "GB-second of a function's /tmp above 512 MB", "lambda/pricing"],
  ["tenantGigabyte", 167 / 1e6, "GB of a new tenant environment (x86 price)", "lambda/pricing"],
  ["readUnit", 0.125 / 1e6, "DynamoDB read unit", "dynamodb/pricing/on-demand"],
  ["writeUnit", 0.625 / 1e6, "DynamoDB write unit", "dynamodb/pricing/on-demand"],
  ["tableGigabyte", 0.25 + 0.2, "GB-month in DynamoDB, with recovery", "dynamodb/pricing/on-demand"],
  ["queueRequest", 0.4 / 1e6, "SQS request *", "sqs/pricing"],
  ["schedule", 1 / 1e6, "one-time schedule of EventBridge Scheduler *", "eventbridge/pricing"],
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
  ["consolePerson", 0.015, "person of Cognito Essentials, from the 10,001st of a month *", "cognito/pricing"],
  ["publicAddress", 0.005, "public IPv4 address hour", "vpc/pricing"],
] as const;

/** What the code and the templates do not determine. `counted`: AWS calls of the real handlers on a test double. */
export const assumptionList = [
  ["polls", 60, "polls of a run", "assumed"],
  ["stepSeconds", 5, "seconds of a step", "assumed"],
  ["createBytes", 150_000, "bytes of a create: a file of 110 KB as base64", "assumed"],
  ["createMilliseconds", 60, "ms billed for a create", "assumed"],
  ["pollMilliseconds", 18, "ms billed for a poll, with 1 % cold starts of 300 ms", "assumed"],
  ["sweepMilliseconds", 300, "ms billed for a sweep", "assumed"],
  ["readUnits", 7, "DynamoDB read units of a run", "counted"],
  ["stepReadUnits", 2.2, "DynamoDB read units of a step", "counted"],
  ["writeUnits", 8, "DynamoDB write units of a run", "counted"],
  ["stepWriteUnits", 16.6, "DynamoDB write units of a step, with lease renewals", "counted"],
  ["textWriteUnits", 4, "DynamoDB write units of a text in progress, each second that somebody reads it", "counted"],
  ["markWriteUnits", 4, "DynamoDB write units of the mark of a watched run, every 15 s", "assumed"],
  ["transitions", 5, "billed state transitions of a run", "counted"],
  ["storedBytes", 4_000, "bytes that a step stores in DynamoDB", "assumed"],
  ["requestBytes", 80_000, "bytes that a step sends to the model: 20,000 tokens", "assumed"],
  ["runLog", 5_000, "bytes of log of a run, without its steps", "measured"],
  ["stepLog", 1_350, "bytes of log of a step", "measured"],
  ["requestLog", 800, "bytes of log of an API request", "measured"],
  ["programMilliseconds", 700, "ms of a program that imports pandas; a shell script 150, JavaScript 90", "measured"],
  ["firstProgramMilliseconds", 5_000, "ms of an agent's first program, in a new environment of an image", "assumed"],
  ["consoleRequests", 1_800, "requests an hour of a console page with a run in progress", "assumed"],
  ["consoleMilliseconds", 25, "ms billed for such a request", "assumed"],
  ["consoleReadUnits", 2, "DynamoDB read units of such a request", "assumed"],
  ["queuePollers", 5, "connections of Lambda to a queue, each of which asks every 20 s", "assumed"],
  ["deliveryMilliseconds", 300, "ms billed for an attempt to send a webhook", "assumed"],
  ["deliveryReadUnits", 4, "DynamoDB read units of an attempt", "assumed"],
  ["deliveryWriteUnits", 4, "DynamoDB write units of a delivery, without its attempts", "assumed"],
  ["attemptWriteUnits", 2, "DynamoDB write units of an attempt", "assumed"],
  ["deliveryLog", 900, "bytes of log of an attempt", "assumed"],
  ["documentMilliseconds", 200, "ms to read 100 pages of PDF", "measured"],
] as const;

const valuesOf = <Name extends string>(list: readonly (readonly [Name, number, ...unknown[]])[]) =>
  Object.fromEntries(list.map(([name, value]) => [name, value])) as Record<Name, number>;
/** US dollars, by name. */
export const price = valuesOf(priceList);
/** Assumptions, by name. */
export const assumed = valuesOf(assumptionList);
