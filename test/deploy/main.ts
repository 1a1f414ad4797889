import { join } from "node:path";
import { HeadBucketCommand, NotFound, PutBucketTaggingCommand } from "@aws-sdk/client-s3";
import { DescribeStateMachineCommand } from "@aws-sdk/client-sfn";
import { s3Client, sfnClient } from "../../src/platform/aws/clients.ts";
import { newOperator } from "./callers.ts";
import { cdk, frontDoorName, stackName } from "./cdk.ts";
import { deployFrontDoor } from "./front-door.ts";
import { folder, install, startMiniStack } from "./ministack.ts";
import { endAll, environment, run } from "./processes.ts";
import { emulated, stackOutputs } from "./service.ts";

// npm run test:deploy: see README.md beside this file.

/** A whole run takes three to four minutes; what takes longer than this hangs. */
const patience = 9 * 60;

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  }
  setTimeout(() => reject(new Error(`not done within ${patience} s`)), patience * 1_000).unref();
});

try {
  await Promise.race([deployAndTest(), interrupted]);
} catch (error) {
  console.error(`test:deploy: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await endAll();
}
process.exit();

async function deployAndTest(): Promise<void> {
  await step("virtual environment with the pinned MiniStack", install);
  const endpoint = await step("MiniStack", startMiniStack);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AGENT_RUNS_TEST_ENDPOINT: endpoint,
  });
  await step("cdk bootstrap", () => cdk("bootstrap", "aws://000000000000/us-east-1"));
  await step(`cdk deploy ${stackName}`, () => cdk("deploy", stackName));
  await step(`cdk deploy ${frontDoorName}`, deployFrontDoor);
  const { OperatorPolicyArn = "", StateMachineArn: stateMachineArn } = await stackOutputs();
  const operator = await newOperator(OperatorPolicyArn);
  const sfn = sfnClient(emulated());
  const { roleArn = "" } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn }));
  sfn.destroy();
  Object.assign(process.env, {
    OPERATOR_ACCESS_KEY_ID: operator.AWS_ACCESS_KEY_ID,
    OPERATOR_SECRET_ACCESS_KEY: operator.AWS_SECRET_ACCESS_KEY,
    AGENT_RUNS_TEST_ROLE: roleArn,
  });
  const { status } = await run("vitest", ["run", "--config", join("test", "deploy", "vitest.config.ts")], {
    env: environment(),
    shown: true,
  });
  if (status !== 0) throw new Error(`the deployed service failed its tests; MiniStack's log is in ${folder}`);
  await step("cdk destroy", destroy);
  console.log(`${stackName} and ${frontDoorName} came up, passed their tests and are gone.`);
}

async function destroy(): Promise<void> {
  const [{ BucketName }, { CodeBucketName }] = [await stackOutputs(), await stackOutputs(frontDoorName)];
  const s3 = await s3Client(emulated());
  // MiniStack leaves out the tags of a bucket in a template, and CDK's function empties only a bucket with this one.
  const TagSet = [{ Key: "aws-cdk:auto-delete-objects", Value: "true" }];
  for (const Bucket of [BucketName, CodeBucketName]) {
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
  }
  await cdk("destroy", "--all", "--force");
  for (const Bucket of [BucketName, CodeBucketName]) {
    const left = await s3.send(new HeadBucketCommand({ Bucket })).catch((error: unknown) => error);
    if (!(left instanceof NotFound)) throw new Error(`cdk destroy left the bucket ${Bucket} behind`);
  }
  s3.destroy();
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  return result;
}
