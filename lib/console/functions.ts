import { Arn, ArnFormat, Aws, Fn, type Stack } from "aws-cdk-lib";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { secretPrefixOf } from "../../src/platform/aws/dynamodb/table.ts";
import { bundleConsole } from "../bundling.ts";
import { grantModels, modelSecrets } from "../permissions/model-permissions.ts";
import { changeItems, changeObjects, viewItems, viewObjects } from "../permissions/operator-permissions.ts";
import { type OutputName, serviceStackName } from "../outputs.ts";
import { acknowledgeWildcard, grant, serviceFunction } from "../service-function.ts";
import type { Settings } from "../settings.ts";
import {
  acknowledgeObjects,
  type ItemPermission,
  itemStatement,
  objectStatements,
  type ObjectPermissions,
} from "../storage.ts";
import type { ConsoleSignIn } from "./cognito.ts";

/** The service stack's outputs that the console uses. */
export const sharedOutputs = [
  "TableName",
  "BucketName",
  "StateMachineArn",
  "EnvironmentImages",
  "AlarmTopicArn",
] as const satisfies OutputName[];
/** `ServiceUrl`: base URL of the service for its clients. */
export type SharedValues = Record<(typeof sharedOutputs)[number] | "ServiceUrl", string>;

/** API Gateway ends a request after 30 seconds. */
const requestSeconds = 29;

/**
 * The stack's functions by construct id. `memory` in MB, as for the functions of the service stack with the same work.
 * Both functions of the API have the same code. Requests that only read reach one that writes nothing but marks of watched runs.
 */
const functions = {
  Page: {
    entry: "console",
    description: "The web application's files, and the API's OpenAPI document",
    memory: 256,
    write: bundleConsole,
  },
  Read: { entry: "manage", description: "GET /manage/v1", memory: 1024 },
  Write: { entry: "manage", description: "Every other method of /manage/v1", memory: 1769 },
} as const;

/** The functions of the console, each with the permissions for its routes. */
export function consoleFunctions(
  stack: Stack,
  settings: Settings,
  { page, roles }: ConsoleSignIn,
  service: SharedValues,
): Record<keyof typeof functions, Function> {
  const newFunction = (id: keyof typeof functions): Function =>
    serviceFunction(stack, id, { ...functions[id], seconds: requestSeconds });
  const all = { Page: newFunction("Page"), Read: newFunction("Read"), Write: newFunction("Write") };
  grant(all.Page, { SIGN_IN: JSON.stringify(page) });
  for (const fn of [all.Read, all.Write]) {
    grant(fn, {
      CONSOLE_ROLES: JSON.stringify(roles),
      SERVICE_STACK: serviceStackName(settings.stage),
      SERVICE_URL: service.ServiceUrl,
      SECRET_PREFIX: secretPrefixOf(settings.stage),
      STATE_MACHINE_ARN: service.StateMachineArn,
      RETENTION_DAYS: String(settings.retentionDays),
      ...(settings.sandbox !== "off" && { ENVIRONMENT_IMAGES: service.EnvironmentImages }),
    });
    grantSecretCheck(fn, settings.stage);
  }
  grantData(all.Read, service, viewItems, viewObjects);
  grantData(all.Write, service, [...viewItems, ...changeItems], changeObjects);
  grantExecutions(all.Write, service.StateMachineArn);
  grantModels(all.Write, settings); // for the test of a model
  grantSecretStore(all.Write, settings.stage);
  return all;
}

/** Lets the function use these items and objects, and no others. */
function grantData(fn: Function, service: SharedValues, items: ItemPermission[], objects: ObjectPermissions): void {
  const { stack } = fn;
  const table = Arn.format({ service: "dynamodb", resource: "table", resourceName: service.TableName }, stack);
  const bucket = `arn:${Aws.PARTITION}:s3:::${service.BucketName}`;
  grant(
    fn,
    { TABLE_NAME: service.TableName, BUCKET_NAME: service.BucketName },
    ...items.map((permission) => itemStatement(table, permission)),
    ...objectStatements(bucket, objects),
    { actions: ["s3:ListBucket"], resources: [bucket] }, // as Storage.grantList
  );
  // cdk-nag writes a CloudFormation reference as <LogicalId>.
  const { Ref: name } = stack.resolve(service.BucketName) as { Ref: string };
  acknowledgeObjects(fn.role ?? fn, `arn:<AWS::Partition>:s3:::<${name}>`, objects);
}

/** Lets the function start the state machine's executions, and stop them. */
function grantExecutions(fn: Function, stateMachineArn: string): void {
  const { stack } = fn;
  const name = Fn.select(6, Fn.split(":", stateMachineArn));
  const executions = Arn.format(
    {
      service: "states",
      resource: "execution",
      resourceName: `${name}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    },
    stack,
  );
  grant(
    fn,
    {},
    { actions: ["states:StartExecution"], resources: [stateMachineArn] },
    { actions: ["states:StopExecution"], resources: [executions] },
  );
  const inFindings = JSON.stringify(stack.resolve(name));
  acknowledgeWildcard(
    fn.role ?? fn,
    `arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:${inFindings}:*`,
    "Execution names contain run ids, so they cannot be listed in advance.",
  );
}

/** Lets the function store the keys that operators enter. Without a key of its own, Secrets Manager encrypts with AWS's. */
function grantSecretStore(fn: Function, stage: string): void {
  const actions = ["secretsmanager:CreateSecret", "secretsmanager:PutSecretValue"];
  grant(fn, {}, { actions, resources: [modelSecrets(fn.stack, stage).arn] });
}

/** Lets the function ask whether a secret exists, not for its value. */
function grantSecretCheck(fn: Function, stage: string): void {
  const secrets = modelSecrets(fn.stack, stage);
  grant(fn, {}, { actions: ["secretsmanager:DescribeSecret"], resources: [secrets.arn] });
  acknowledgeWildcard(fn.role ?? fn, secrets.inFindings, secrets.reason);
}
