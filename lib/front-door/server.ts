import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Arn, Aws, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import type { IOrigin } from "aws-cdk-lib/aws-cloudfront";
import { PolicyStatement, type PolicyStatementProps, type Role } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct, IDependable } from "constructs";
import { buildSync } from "esbuild";
import type { EnvName } from "../../src/env.ts";
import { objectPrefixes } from "../../src/platform/aws/table.ts";
import { bundleOptions, entries } from "../bundle-options.ts";
import { type LargeBodyHome, memoryEnvironment } from "./hosting.ts";
import { acknowledgeWildcard } from "../service-function.ts";
import type { OutputName } from "../outputs.ts";
import type { Settings } from "../settings.ts";

/** The service stack's outputs that the front door is built on, and their values. */
export const sharedOutputs = ["ApiUrl", "TableName", "BucketName", "StateMachineArn"] as const satisfies OutputName[];
export type SharedNames = Record<(typeof sharedOutputs)[number], string>;

/** What the large-body server is built on, whichever its home is. */
export interface LargeBodyServer {
  home: LargeBodyHome;
  settings: Settings;
  service: SharedNames;
  /** For parts of which one account's names are shared by all its regions. */
  name: string;
  /** Secrets that it accepts from CloudFront, newest first. */
  secrets: Secret[];
  logGroup: LogGroup;
}

/** `ready`: what CloudFront has to wait for, so that the secret it sends is one that the server accepts by then. */
export interface LargeBodyOrigin {
  origin: IOrigin;
  ready: IDependable;
}

/** The server's parts that no home changes. CloudFront sends the first of `secrets`; the one before is accepted too. */
export function largeBodyServer(
  scope: Construct,
  home: LargeBodyHome,
  settings: Settings,
  service: SharedNames,
): LargeBodyServer {
  const { originSecretGeneration: newest, logRetentionDays: retention } = settings;
  const secrets = [newest, newest - 1]
    .filter((generation) => generation > 0)
    .map((generation) => secret(scope, generation));
  const logGroup = new LogGroup(scope, "Log", { retention, removalPolicy: RemovalPolicy.DESTROY });
  const name = `agent-runs-${settings.stage}-${Aws.REGION}`;
  return { home, settings, service, name, secrets, logGroup };
}

function secret(scope: Construct, generation: number): Secret {
  const made = new Secret(scope, `OriginSecret${generation}`, {
    description: "Shows the origin of large bodies that a request came through CloudFront",
    generateSecretString: { passwordLength: 48, excludePunctuation: true },
  });
  Validations.of(made).acknowledge({
    id: "AwsSolutions-SMG4",
    reason:
      "CloudFront has to learn a new value at the same time: raising originSecretGeneration and deploying does both.",
  });
  return made;
}

/** Names for the server's environment, with the permissions that they need: those of the create function. */
export function grantServer(role: Role, { home, service, secrets, settings }: LargeBodyServer): Record<string, string> {
  const stack = Stack.of(role);
  const table = Arn.format({ service: "dynamodb", resource: "table", resourceName: service.TableName }, stack);
  const below = (prefix: string) => `arn:${Aws.PARTITION}:s3:::${service.BucketName}/${prefix}*`;
  const items = (kinds: string[], ...actions: string[]) => ({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table],
    conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map((kind) => `${kind}#*`) } },
  });
  const statements: PolicyStatementProps[] = [
    items(["KEY", "AGENT", "ORG"], "GetItem"),
    items(["RUN"], "PutItem", "UpdateItem"),
    { actions: ["s3:PutObject", "s3:DeleteObject"], resources: Object.values(objectPrefixes).map(below) },
    { actions: ["states:StartExecution"], resources: [service.StateMachineArn] },
    { actions: ["secretsmanager:GetSecretValue"], resources: secrets.map(({ secretArn }) => secretArn) },
  ];
  for (const statement of statements) role.addToPolicy(new PolicyStatement(statement));
  // As cdk-nag writes a value that CloudFormation fills in.
  const { Ref: bucket } = stack.resolve(service.BucketName) as { Ref: string };
  for (const prefix of Object.values(objectPrefixes)) {
    const objects = `arn:<AWS::Partition>:s3:::<${bucket}>/${prefix}*`;
    acknowledgeWildcard(role, objects, "An object's name has the id of its run, so there is no list of them.");
  }
  const names = {
    TABLE_NAME: service.TableName,
    BUCKET_NAME: service.BucketName,
    STATE_MACHINE_ARN: service.StateMachineArn,
    RETENTION_DAYS: String(settings.retentionDays),
    ORIGIN_SECRET_ARNS: secrets.map(({ secretArn }) => secretArn).join(","),
  } satisfies Partial<Record<EnvName, string>>;
  return { ...names, ...memoryEnvironment(home) };
}

/** Makes the server one file, `index.js`, in a folder. Always true: that CDK needs no container for it. */
export function bundleServer(folder: string): boolean {
  buildSync({ entryPoints: [`${entries}upload-server.ts`], outfile: join(folder, "index.js"), ...bundleOptions });
  return true;
}

const dockerfile = `FROM public.ecr.aws/docker/library/node:24-slim
WORKDIR /server
COPY index.js .
USER node
CMD ["node", "index.js"]
`;

/** Writes what a container's image is built from. Only copies: no foreign architecture has to be run. */
export function writeImage(folder: string, bundled: boolean): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Dockerfile"), dockerfile);
  if (bundled) bundleServer(folder);
}
