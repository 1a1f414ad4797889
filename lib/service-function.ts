import { writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { AssetHashType, type CfnResource, DockerImage, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { type PolicyStatementProps, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function,
  type FunctionProps,
  LoggingFormat,
  Runtime,
  type TenancyConfig,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct, IConstruct } from "constructs";
import { buildSync } from "esbuild";
import type { EnvName } from "../src/env.ts";
import { bundleOptions, entries, packageOptions } from "./bundle-options.ts";

export interface ServiceFunctionProps {
  /** File in `lambdas`, without its extension; it exports `handler`. */
  entry: string;
  /** Writes its code into a folder, with the handler in `index.js`. Default: the entry and its packages as bundles. */
  write?: (folder: string) => void;
  description: string;
  /** MB. A function has one whole processor from 1,769 MB on, and its share of one below. */
  memory: number;
  seconds: number;
  logRetention: RetentionDays;
  /** Executions at a time, kept for it out of the account's. Absent or 0: it shares those of the account. */
  concurrency?: number;
  /** For a function that is called by events: where those go that it failed for good. */
  deadLetters?: IQueue;
  /** Seconds after which an event is not worth a call any more. Absent: Lambda's six hours. */
  eventSeconds?: number;
  /** For a function that is not to be on the internet. Its role needs the rights for that besides. */
  network?: Required<Pick<FunctionProps, "vpc" | "vpcSubnets" | "securityGroups">>;
  /** For a function whose caller names a tenant with each call: no environment serves two of them. */
  tenancy?: TenancyConfig;
}

/** A Lambda function that may write its own log and nothing else; the grants of storage and workflow add to that. */
export function serviceFunction(scope: Construct, id: string, props: ServiceFunctionProps): Function {
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  logGroup.grantWrite(role);
  return new Function(scope, id, {
    description: props.description,
    code: bundle(props.entry, props.write),
    handler: "index.handler",
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: props.memory,
    timeout: Duration.seconds(props.seconds),
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    ...(props.concurrency && { reservedConcurrentExecutions: props.concurrency }),
    ...(props.deadLetters && { deadLetterQueue: props.deadLetters }),
    ...(props.eventSeconds && { maxEventAge: Duration.seconds(props.eventSeconds) }),
    ...props.network,
    ...(props.tenancy && { tenancyConfig: props.tenancy }),
  });
}

/** esbuild runs in this process: offline, no Docker. */
function bundle(entry: string, write = (folder: string) => bundleEntry(entry, folder)): Code {
  const tryBundle = (folder: string): boolean => {
    write(folder);
    return true;
  };
  return Code.fromAsset(entries, {
    assetHashType: AssetHashType.OUTPUT,
    // CDK bundles once for equal options, and does not look into tryBundle: the command tells the entries apart.
    bundling: { local: { tryBundle }, image: DockerImage.fromRegistry("never-used"), command: [entry] },
  });
}

function bundleEntry(entry: string, folder: string): void {
  const { outputs } = buildSync({
    entryPoints: [`${entries}${entry}.ts`],
    outfile: `${folder}/index.js`,
    ...bundleOptions,
    metafile: true,
  }).metafile;
  const apart = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ path, external }) => external && !isBuiltin(path)),
  );
  for (const { path } of apart) {
    buildSync({
      entryPoints: [path],
      outfile: `${folder}/node_modules/${path}/index.js`,
      ...packageOptions,
    });
  }
  // A part of a package is only found through the package's own list.
  for (const [name, paths] of Object.entries(Object.groupBy(apart, ({ path }) => packageOf(path)))) {
    const parts = paths?.map(({ path }) => `.${path.slice(name.length)}`) ?? [];
    const exports = Object.fromEntries(parts.map((part) => [part, `${part}/index.js`]));
    writeFileSync(`${folder}/node_modules/${name}/package.json`, JSON.stringify({ name, exports }));
  }
}

function packageOf(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Answers a finding of cdk-nag about a wildcard in the policy of `owner`; it names `resource` as the finding does. */
export function acknowledgeWildcard(owner: IConstruct, resource: string, reason: string): void {
  Validations.of(owner).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
}

/** A resource's ARN as cdk-nag writes it. */
export function arnInFindings(construct: IConstruct): string {
  const resource = construct.node.defaultChild as CfnResource;
  return `<${Stack.of(construct).getLogicalId(resource)}.Arn>`;
}

/** Gives a function a permission together with the names it needs to use it. */
export function grant(
  fn: Function,
  env: Partial<Record<EnvName, string>>,
  ...statements: PolicyStatementProps[]
): void {
  for (const [name, value] of Object.entries(env)) fn.addEnvironment(name, value);
  for (const statement of statements) fn.addToRolePolicy(new PolicyStatement(statement));
}
