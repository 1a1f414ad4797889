import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Arn, Aws, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import type { IOrigin } from "aws-cdk-lib/aws-cloudfront";
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement, type PolicyStatementProps, type Role } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct, IDependable } from "constructs";
import type { EnvName } from "../../src/env.ts";
import { secretPrefixOf } from "../../src/platform/aws/dynamodb/table.ts";
import { bundleUploadServer } from "../bundling.ts";
import { type UploadHosting, memoryEnvironment } from "./hosting.ts";
import { streamsRuns } from "../permissions/program-permissions.ts";
import {
  acknowledgeObjects,
  createsRuns,
  type ItemPermission,
  itemStatement,
  keyUse,
  type ObjectPermissions,
  objectStatements,
  webhookState,
} from "../storage.ts";
import type { OutputName } from "../outputs.ts";
import { logRetention } from "../service-function.ts";
import type { Settings } from "../settings.ts";

/** Ids of CloudFront's origins, by which the viewer-request function selects them. */
export const [largeBodiesOriginId, streamsOriginId] = ["large-bodies", "event-streams"];

/** The service stack's outputs that the front door uses. */
export const sharedOutputs = [
  "ApiUrl",
  "TableName",
  "BucketName",
  "StateMachineArn",
  "AlarmTopicArn",
] as const satisfies OutputName[];
export type SharedValues = Record<(typeof sharedOutputs)[number], string>;

/** The parts of the upload server that are the same on every hosting. */
export interface UploadServer {
  hosting: UploadHosting;
  settings: Settings;
  service: SharedValues;
  /** For resources whose names are unique in an account across regions. */
  name: string;
  /** Secrets that the server accepts from CloudFront, newest first. */
  secrets: Secret[];
  logGroup: LogGroup;
}

/**
 * - `ready`: CloudFront waits for it, because by then the server accepts the secret that CloudFront sends.
 * - `failures`: 5xx responses as the platform counts them, also while the server cannot start.
 */
export interface UploadOrigin {
  origin: IOrigin;
  ready: IDependable;
  failures: IMetric;
  /** For streams of events, if another server than that of creates sends them. */
  streams?: { origin: IOrigin; ready: IDependable; failures: IMetric };
}

/** CloudFront sends the first of the two secrets. The server also accepts the previous one. */
export function uploadServer(
  scope: Construct,
  hosting: UploadHosting,
  settings: Settings,
  service: SharedValues,
): UploadServer {
  const { originSecretGeneration: newest } = settings;
  const secrets = [newest, newest - 1]
    .filter((generation) => generation > 0)
    .map((generation) => originSecret(scope, generation));
  const logGroup = new LogGroup(scope, "Log", { retention: logRetention, removalPolicy: RemovalPolicy.DESTROY });
  const name = `agent-runs-${settings.stage}-${Aws.REGION}`;
  return { hosting, settings, service, name, secrets, logGroup };
}

function originSecret(scope: Construct, generation: number): Secret {
  const secret = new Secret(scope, `OriginSecret${generation}`, {
    description: "Proves to the upload server that a request came through CloudFront",
    generateSecretString: { passwordLength: 48, excludePunctuation: true },
  });
  Validations.of(secret).acknowledge({
    id: "AwsSolutions-SMG4",
    reason:
      "CloudFront must learn a new value at the same time. Raising originSecretGeneration and deploying does both.",
  });
  return secret;
}

/** What a server does: `creates` over 1 MB, and `streams` of events. */
export type ServerWork = "creates" | "streams";

/** Items and objects, as the functions of the service have that do the same: `Create` and `ExtRead`. */
const permissions: Record<ServerWork, { items: ItemPermission[]; objects: ObjectPermissions }> = {
  creates: {
    items: [{ kinds: ["KEY", "AGENT", "ORG"], actions: ["GetItem"] }, webhookState, keyUse, ...createsRuns],
    objects: { write: ["workspaces", "texts"], remove: ["workspaces"] },
  },
  streams: { items: streamsRuns, objects: { read: ["texts"] } },
};

/** Grants a server's role what its work needs, and no more. Returns the environment variables that go with it. */
export function grantServer(
  role: Role,
  { hosting, service, secrets, settings }: UploadServer,
  works: ServerWork[],
): Record<string, string> {
  const stack = Stack.of(role);
  const table = Arn.format({ service: "dynamodb", resource: "table", resourceName: service.TableName }, stack);
  const bucket = `arn:${Aws.PARTITION}:s3:::${service.BucketName}`;
  const statements: PolicyStatementProps[] = [
    ...works.flatMap((work) => permissions[work].items.map((permission) => itemStatement(table, permission))),
    ...works.flatMap((work) => objectStatements(bucket, permissions[work].objects)),
    ...(works.includes("creates")
      ? [{ actions: ["states:StartExecution"], resources: [service.StateMachineArn] }]
      : []),
    // Without it, S3 answers "access denied" instead of "not found" for a text that has expired.
    ...(works.includes("streams") ? [{ actions: ["s3:ListBucket"], resources: [bucket] }] : []),
    { actions: ["secretsmanager:GetSecretValue"], resources: secrets.map(({ secretArn }) => secretArn) },
  ];
  for (const statement of statements) role.addToPolicy(new PolicyStatement(statement));
  // cdk-nag writes a CloudFormation reference as <LogicalId>.
  const { Ref: name } = stack.resolve(service.BucketName) as { Ref: string };
  for (const work of works) acknowledgeObjects(role, `arn:<AWS::Partition>:s3:::<${name}>`, permissions[work].objects);
  // All are read by the code of either work, which uses only what it may.
  const environment: Partial<Record<EnvName, string>> = {
    TABLE_NAME: service.TableName,
    BUCKET_NAME: service.BucketName,
    STATE_MACHINE_ARN: service.StateMachineArn,
    RETENTION_DAYS: String(settings.retentionDays),
    SECRET_PREFIX: secretPrefixOf(settings.stage),
    ORIGIN_SECRET_ARNS: secrets.map(({ secretArn }) => secretArn).join(","),
    ...(works.includes("streams") && settings.corsOrigins.length > 0 && { CORS_ORIGINS: settings.corsOrigins.join() }),
  };
  return { ...environment, ...memoryEnvironment(hosting) };
}

/**
 * `VOLUME` gives the task's volume at /tmp the permissions of the image's /tmp. Without it, only root can write there
 * (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/bind-mounts.html).
 */
const dockerfile = `FROM public.ecr.aws/docker/library/node:24-slim
WORKDIR /server
COPY index.js .
USER node
VOLUME ["/tmp"]
CMD ["node", "index.js"]
`;

/** Writes the Docker build context. The Dockerfile only copies, so no foreign architecture has to be emulated. */
export function writeImage(folder: string, bundled: boolean): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "Dockerfile"), dockerfile);
  if (bundled) bundleUploadServer(folder);
}
