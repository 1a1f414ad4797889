import {
  AssetHashType,
  type CfnResource,
  DockerImage,
  Duration,
  RemovalPolicy,
  Size,
  Stack,
  Validations,
} from "aws-cdk-lib";
import { type PolicyStatementProps, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Code,
  Function,
  type FunctionProps,
  Handler,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  type TenancyConfig,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct, IConstruct } from "constructs";
import type { EnvName } from "../src/env.ts";
import { bundleFunction, lambdasFolder } from "./bundling.ts";
import type { Image } from "./sandbox/environment-image.ts";

/** How long CloudWatch keeps each log of the service. */
export const logRetention = RetentionDays.ONE_MONTH;

export interface ServiceFunctionProps {
  /** File in `lambdas/` without its extension. It exports `handler`. Absent: the code is in `image`. */
  entry?: string | undefined;
  /** Container image, with the code as its entry point. */
  image?: Image | undefined;
  /** Writes the code to a folder, with the handler in `index.js`. Default: bundles the entry and its packages. */
  write?: ((folder: string) => string[]) | undefined;
  description: string;
  /** MB. A function with 1,769 MB has one full vCPU; less memory means a proportional share. */
  memory: number;
  /** Size of `/tmp` in MB. Absent: 512. */
  storage?: number | undefined;
  seconds: number;
  /** Reserved concurrency. Absent or 0: none is reserved. */
  concurrency?: number;
  /** For asynchronous invocations: receives the events whose retries all failed. */
  deadLetters?: IQueue;
  /** For asynchronous invocations: maximum event age. Absent: Lambda's default, six hours. */
  eventSeconds?: number;
  /** For asynchronous invocations: how often an event is tried. Absent: Lambda's default, three times. */
  attempts?: number;
  /** For a function that sends messages to its own queue, a limited number of times. */
  sendsToItself?: boolean;
  /** For a function in a VPC. Its role also needs the permissions for network interfaces. */
  network?: Required<Pick<FunctionProps, "vpc" | "vpcSubnets" | "securityGroups">>;
  /** For a function with tenant isolation: no execution environment serves two tenants. */
  tenancy?: TenancyConfig;
}

/** A Lambda function that can only write its own log. The `grant…` functions add permissions. */
export function serviceFunction(scope: Construct, id: string, props: ServiceFunctionProps): Function {
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  logGroup.grantWrite(role);
  return new Function(scope, id, {
    description: props.description,
    ...(props.image
      ? { code: props.image.code, handler: Handler.FROM_IMAGE, runtime: Runtime.FROM_IMAGE }
      : { code: bundledCode(props.entry ?? "", props.write), handler: "index.handler", runtime: Runtime.NODEJS_24_X }),
    architecture: props.image?.architecture ?? Architecture.ARM_64,
    memorySize: props.memory,
    ...(props.storage !== undefined && { ephemeralStorageSize: Size.mebibytes(props.storage) }),
    timeout: Duration.seconds(props.seconds),
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    ...(props.concurrency && { reservedConcurrentExecutions: props.concurrency }),
    ...(props.deadLetters && { deadLetterQueue: props.deadLetters }),
    ...(props.eventSeconds && { maxEventAge: Duration.seconds(props.eventSeconds) }),
    ...(props.attempts && { retryAttempts: props.attempts - 1 }),
    // By default, Lambda drops a batch after about 16 hops, and one old message of a batch counts for all.
    ...(props.sendsToItself && { recursiveLoop: RecursiveLoop.ALLOW }),
    ...props.network,
    ...(props.tenancy && { tenancyConfig: props.tenancy }),
  });
}

/** Bundles in this process with esbuild: offline, without Docker. */
function bundledCode(entry: string, write = (folder: string) => bundleFunction(entry, folder)): Code {
  const tryBundle = (folder: string): boolean => {
    write(folder);
    return true;
  };
  return Code.fromAsset(lambdasFolder, {
    assetHashType: AssetHashType.OUTPUT,
    // CDK caches bundles by their options and does not compare tryBundle. The command makes the options differ.
    bundling: { local: { tryBundle }, image: DockerImage.fromRegistry("never-used"), command: [entry] },
  });
}

/** Acknowledges cdk-nag's finding of a wildcard in the policy of `owner`. `resource` is written as in the finding. */
export function acknowledgeWildcard(owner: IConstruct, resource: string, reason: string): void {
  Validations.of(owner).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
}

/** A resource's ARN as cdk-nag writes it in findings. */
export function arnInFindings(construct: IConstruct): string {
  const resource = construct.node.defaultChild as CfnResource;
  return `<${Stack.of(construct).getLogicalId(resource)}.Arn>`;
}

/** Gives a function permissions together with the environment variables that it needs to use them. */
export function grant(
  fn: Function,
  env: Partial<Record<EnvName, string>>,
  ...statements: PolicyStatementProps[]
): void {
  for (const [name, value] of Object.entries(env)) fn.addEnvironment(name, value);
  for (const statement of statements) fn.addToRolePolicy(new PolicyStatement(statement));
}
