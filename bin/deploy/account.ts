import { DescribeStacksCommand, DescribeTypeCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient, paginateListTables } from "@aws-sdk/client-dynamodb";
import { paginateListBuckets, S3Client } from "@aws-sdk/client-s3";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { ofType, type Resources } from "../../lib/idle-cost.ts";
import { type Aws, credentialsError, isMissingStack } from "../aws.ts";
import { callAws, callAwsJson } from "./call-aws.ts";
import type { Plan } from "./plan.ts";

/** What an account has in a region before a deployment. */
interface Facts {
  /** The account's number. */
  id: string | undefined;
  /** The planned stacks that exist, by name. */
  stacks: Map<string, Stack>;
  /** The stack of the CDK bootstrap. */
  bootstrap: Stack | undefined;
  /** Tables and buckets with the planned names. Stacks that are deleted or fail keep them. */
  data: string[];
  /** Existing log groups with the planned names. */
  logGroups: string[];
  /** Planned resource types that CloudFormation does not know. */
  missingTypes: string[];
  /** Quotas of all web functions: requests per second, and processors of their environments. */
  webFunctions: { requests: number; processors: number };
  /** Concurrent executions of Lambda functions. */
  concurrency: { limit: number; unreserved: number };
  vpcs: number;
  vpcQuota: number;
  /** Id of AWS's prefix list of S3. */
  s3PrefixList: string;
}

/** A fact, or the reason why it is unknown. */
export type Fact<T> = { value: T } | { unknown: string };

export type Account = { [Name in keyof Facts]: Fact<Facts[Name]> };

/** Service Quotas code of the number of VPCs in a region. */
export const vpcQuotaCode = "L-F678F1CE";

/** Reads the facts. Rejects only if there are no valid credentials. */
export async function readAccount(aws: Aws, { service, stacks }: Plan, bootstrapStack: string): Promise<Account> {
  const resources = Object.assign({}, ...stacks.map((stack) => stack.resources)) as Resources;
  const reads: { [Name in keyof Facts]: () => Promise<Facts[Name]> } = {
    id: () => accountId(aws),
    stacks: async () => {
      const found = await Promise.all(stacks.map(({ name }) => stackOf(aws, name)));
      return new Map(found.flatMap((stack) => (stack?.StackName ? [[stack.StackName, stack]] : [])));
    },
    bootstrap: () => stackOf(aws, bootstrapStack),
    data: () => tablesAndBuckets(aws, `${service.name}-Storage`),
    logGroups: () => existingLogGroups(aws, resources),
    missingTypes: () => missingTypes(aws, resources),
    webFunctions: () => webFunctionQuotas(aws),
    concurrency: () => lambdaConcurrency(aws),
    vpcs: () => countVpcs(aws),
    vpcQuota: async () => {
      const input = { ServiceCode: "vpc", QuotaCode: vpcQuotaCode };
      const answer = await callAwsJson(aws, "servicequotas", "ServiceQuotasV20190624.GetServiceQuota", input);
      return (answer as { Quota: { Value: number } }).Quota.Value;
    },
    s3PrefixList: () => findPrefixList(aws, "s3"),
  };
  const facts = Object.entries(reads).map(async ([name, read]) => [name, await factOf<unknown>(read)] as const);
  return Object.fromEntries(await Promise.all(facts)) as Account;
}

async function factOf<T>(read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    const fatal = credentialsError(error);
    if (fatal) throw fatal;
    return { unknown: String(error).replace(/\s+/g, " ") };
  }
}

async function accountId(aws: Aws): Promise<string | undefined> {
  const sts = new STSClient(clientSettings(aws));
  const { Account } = await sts.send(new GetCallerIdentityCommand());
  sts.destroy();
  return Account;
}

function clientSettings({ region, endpoint, cloudFormation }: Aws) {
  return { region, credentials: cloudFormation.config.credentials, ...(endpoint && { endpoint }) };
}

/** Resolves with undefined if the stack does not exist. */
export async function stackOf({ cloudFormation }: Aws, StackName: string): Promise<Stack | undefined> {
  try {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    if (isMissingStack(error)) return undefined;
    throw error;
  }
}

/** Looks up one type after the other: about 35 calls, in 2 seconds. CloudFormation throttles many at once. */
async function missingTypes({ cloudFormation }: Aws, resources: Resources): Promise<string[]> {
  const missing: string[] = [];
  for (const TypeName of new Set(Object.values(resources).map(({ Type }) => Type))) {
    if (!TypeName.startsWith("AWS::") || TypeName === "AWS::CDK::Metadata") continue; // no types of the registry
    try {
      await cloudFormation.send(new DescribeTypeCommand({ Type: "RESOURCE", TypeName }));
    } catch (error) {
      if (!(error instanceof Error && error.name === "TypeNotFoundException")) throw error;
      missing.push(TypeName);
    }
  }
  return missing;
}

/** CloudFormation names a table after its stack and logical id, and a bucket in lower case. */
async function tablesAndBuckets(aws: Aws, prefix: string): Promise<string[]> {
  const [dynamo, s3] = [new DynamoDBClient(clientSettings(aws)), new S3Client(clientSettings(aws))];
  const bucketPrefix = prefix.toLowerCase();
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client: dynamo }, {})) {
    names.push(...TableNames.filter((name) => name.startsWith(prefix)));
  }
  for await (const { Buckets = [] } of paginateListBuckets(
    { client: s3 },
    { Prefix: bucketPrefix, BucketRegion: aws.region },
  )) {
    names.push(...Buckets.flatMap(({ Name = "" }) => (Name.startsWith(bucketPrefix) ? [Name] : [])));
  }
  dynamo.destroy();
  s3.destroy();
  return names;
}

async function existingLogGroups(aws: Aws, resources: Resources): Promise<string[]> {
  const names = ofType(resources, "AWS::Logs::LogGroup").map(({ LogGroupName }) => LogGroupName);
  const found = names.map(async (logGroupNamePrefix) => {
    if (typeof logGroupNamePrefix !== "string") return []; // generated by CloudFormation
    const answer = await callAwsJson(aws, "logs", "Logs_20140328.DescribeLogGroups", { logGroupNamePrefix });
    const { logGroups } = answer as { logGroups: { logGroupName: string }[] };
    return logGroups.flatMap(({ logGroupName }) => (logGroupName === logGroupNamePrefix ? [logGroupName] : []));
  });
  return (await Promise.all(found)).flat();
}

async function lambdaConcurrency(aws: Aws): Promise<Facts["concurrency"]> {
  const answer = await callAws(aws, "lambda", { method: "GET", path: "/2016-08-19/account-settings/" });
  const { AccountLimit } = JSON.parse(answer) as {
    AccountLimit: { ConcurrentExecutions: number; UnreservedConcurrentExecutions: number };
  };
  return { limit: AccountLimit.ConcurrentExecutions, unreserved: AccountLimit.UnreservedConcurrentExecutions };
}

/** https://docs.aws.amazon.com/lambda/latest/lambda-web/API_GetWebAccountSettings.html */
async function webFunctionQuotas(aws: Aws): Promise<Facts["webFunctions"]> {
  const answer = await callAws(aws, "lambda", { method: "GET", path: "/2025-03-07/web-account-settings" });
  const { accountQuotas } = JSON.parse(answer) as {
    accountQuotas: { maxTotalRateLimit: number; maxTotalArmVCpus: number };
  };
  return { requests: accountQuotas.maxTotalRateLimit, processors: accountQuotas.maxTotalArmVCpus };
}

async function countVpcs(aws: Aws): Promise<number> {
  const xml = await callEc2(aws, { Action: "DescribeVpcs" });
  return xml.match(/<vpcId>/g)?.length ?? 0;
}

/** Rejects if there is none. */
async function findPrefixList(aws: Aws, service: string): Promise<string> {
  const name = `com.amazonaws.${aws.region}.${service}`;
  const filter = { "Filter.1.Name": "prefix-list-name", "Filter.1.Value.1": name };
  const xml = await callEc2(aws, { Action: "DescribePrefixLists", ...filter });
  const [, id] = /<prefixListId>(pl-[0-9a-f]+)</.exec(xml) ?? [];
  if (id === undefined) throw new Error(`EC2 knows no prefix list ${name}`);
  return id;
}

function callEc2(aws: Aws, parameters: Record<string, string>): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ ...parameters, Version: "2016-11-15" }).toString();
  return callAws(aws, "ec2", { body, headers });
}
