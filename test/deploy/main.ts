import { join } from "node:path";
import { HeadBucketCommand, NotFound, PutBucketTaggingCommand } from "@aws-sdk/client-s3";
import { DescribeStateMachineCommand } from "@aws-sdk/client-sfn";
import { loadS3Client, sfnClient } from "../../src/platform/aws/sdk/clients.ts";
import { newUserWith } from "./callers.ts";
import { bootstrap, cdk, consoleName, frontDoorName, npmRunDeploy, stackName } from "./cdk.ts";
import { startEnvironmentFunction } from "./environment-function.ts";
import { deployFrontDoor } from "./front-door.ts";
import { install, startMiniStack } from "./ministack.ts";
import { phase } from "./phases.ts";
import { endAll, environment, run } from "./processes.ts";
import { emulated, stackOutputs } from "./service.ts";
import { userPools } from "./sign-in.ts";

// npm run test:deploy, described in README.md.

const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  }
});

let environmentFunction: AsyncDisposable | undefined;
try {
  await Promise.race([deployAndTest(), interrupted]);
} catch (error) {
  console.error(`test:deploy: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await endAll();
  await environmentFunction?.[Symbol.asyncDispose]();
}
process.exit();

async function deployAndTest(): Promise<void> {
  await phase("install MiniStack", 5, install);
  const endpoint = await phase("start MiniStack", 3, startMiniStack);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  });
  environmentFunction = await phase("start the function of the Linux environment", 2, startEnvironmentFunction);
  await phase("npm run deploy without a bootstrap", 2, stopWithoutBootstrap);
  await phase("cdk bootstrap", 8, () => bootstrap("us-east-1"));
  await phase(`npm run deploy ${stackName}`, 10, deployService);
  await phase(`cdk deploy ${frontDoorName}`, 8, deployFrontDoor);
  await phase(`cdk deploy ${consoleName}`, 8, () => cdk("deploy", consoleName, "--exclusively"));
  await phase("create the operator and the inviter", 1, createCallers);
  await phase("tests of the deployed service", 40, runTests);
  await phase("cdk destroy", 8, destroy);
  console.log(
    `${stackName}, ${frontDoorName} and ${consoleName} were deployed, passed their tests and were destroyed.`,
  );
}

async function stopWithoutBootstrap(): Promise<void> {
  const { status, stdout, stderr } = await npmRunDeploy(stackName);
  if (status !== 1 || !/^STOP +bootstrap +/m.test(stdout) || !stderr.includes("nothing was deployed")) {
    throw new Error(`expected that the preflight stops; it ended with ${status}`);
  }
}

/** MiniStack knows the facts of most checks: the others must not stop the deployment. */
async function deployService(): Promise<void> {
  const { status, stdout } = await npmRunDeploy(stackName);
  const expected = [
    /^ok +bootstrap +version \d+$/m,
    /^ok +AgentRunService-test +will be created$/m,
    /^ok +tenant isolation +available in this region/m,
    /^(ok|note) +Lambda concurrency +\d+ concurrent executions/m,
    /^ok +OpenAPI description: 200 from API Gateway$/m,
    /^ok +create of 2 MB with an unknown key: 401 Invalid API key from API Gateway$/m,
  ];
  const missing = expected.filter((line) => !line.test(stdout));
  if (status !== 0 || missing.length > 0) throw new Error(`it ended with ${status}, without ${missing.join(", ")}`);
}

/** Puts the keys of both users and the role of the state machine into the environment of the tests. */
async function createCallers(): Promise<void> {
  const { OperatorPolicyArn = "", StateMachineArn: stateMachineArn } = await stackOutputs();
  const operator = await newUserWith("operator", OperatorPolicyArn);
  const { InvitePolicyArn = "" } = await stackOutputs(consoleName);
  const inviter = await newUserWith("inviter", InvitePolicyArn);
  const sfn = sfnClient(emulated());
  const { roleArn = "" } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn }));
  sfn.destroy();
  Object.assign(process.env, {
    OPERATOR_ACCESS_KEY_ID: operator.AWS_ACCESS_KEY_ID,
    OPERATOR_SECRET_ACCESS_KEY: operator.AWS_SECRET_ACCESS_KEY,
    INVITER_ACCESS_KEY_ID: inviter.AWS_ACCESS_KEY_ID,
    INVITER_SECRET_ACCESS_KEY: inviter.AWS_SECRET_ACCESS_KEY,
    STATE_MACHINE_ROLE: roleArn,
  });
}

async function runTests(): Promise<void> {
  const args = ["run", "--config", join("test", "deploy", "vitest.config.ts"), ...process.argv.slice(2)];
  const { status } = await run("vitest", args, { env: environment(), shown: true });
  if (status !== 0) throw new Error("the deployed service failed its tests");
}

async function destroy(): Promise<void> {
  const [{ BucketName }, { CodeBucketName }] = [await stackOutputs(), await stackOutputs(frontDoorName)];
  const s3 = await loadS3Client(emulated());
  // CDK's function empties only buckets with this tag, and MiniStack ignores the tags in a template.
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
  if ((await userPools()).length > 0) throw new Error("cdk destroy left the console's user pool behind");
}
