import { fileURLToPath } from "node:url";
import { type CfnResource, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { type PolicyStatementProps, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, LoggingFormat, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogLevel, NodejsFunction, OutputFormat } from "aws-cdk-lib/aws-lambda-nodejs";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct, IConstruct } from "constructs";
import type { EnvName } from "../lambdas/env.ts";

export interface ServiceFunctionProps {
  /** File in `lambdas/entry`, without its extension; it exports `handler`. */
  entry: string;
  description: string;
  /** MB. A function has one whole processor from 1,769 MB on, and its share of one below. */
  memory: number;
  seconds: number;
  logRetention: RetentionDays;
}

const root = fileURLToPath(new URL("..", import.meta.url));

/** A Lambda function that may write its own log and nothing else; the grants of storage and workflow add to that. */
export function serviceFunction(scope: Construct, id: string, props: ServiceFunctionProps): NodejsFunction {
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  logGroup.grantWrite(role);
  return new NodejsFunction(scope, id, {
    description: props.description,
    entry: `${root}lambdas/entry/${props.entry}.ts`,
    projectRoot: root,
    depsLockFilePath: `${root}package-lock.json`,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: props.memory,
    timeout: Duration.seconds(props.seconds),
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    awsSdkConnectionReuse: false, // the SDK's default since version 3, without an environment variable
    bundling: {
      // Start of `fail` in a fresh process, median of 15: 59 ms; as an ES module 87; with main before module 74.
      format: OutputFormat.CJS,
      target: "node24",
      mainFields: ["module", "main"],
      bundleAwsSDK: true, // the version that was tested, without what is not used
      minify: true, // 419 KB instead of 1,032; starts as fast
      logLevel: LogLevel.ERROR,
      keepNames: true, // errors are told apart by name, and stack traces are read by people
    },
  });
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
  fn: NodejsFunction,
  env: Partial<Record<EnvName, string>>,
  ...statements: PolicyStatementProps[]
): void {
  for (const [name, value] of Object.entries(env)) fn.addEnvironment(name, value);
  for (const statement of statements) fn.addToRolePolicy(new PolicyStatement(statement));
}
