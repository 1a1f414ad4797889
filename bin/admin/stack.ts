import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { outputs, type OutputName } from "../../lib/outputs.ts";
import type { ClientSettings } from "../../src/platform/aws/clients.ts";
import { awsPlatform } from "../../src/platform/aws/index.ts";
import type { Platform } from "../../src/platform/types.ts";
import { Problem } from "./command.ts";

/**
 * A deployed service, found by its stack's outputs. Region and credentials are the caller's own, as the AWS CLI finds
 * them; `AWS_ENDPOINT_URL` names something else than AWS that speaks its wire.
 */
export async function openStack(stack: string): Promise<Platform> {
  const endpoint = process.env["AWS_ENDPOINT_URL"];
  const cloudFormation = new CloudFormationClient(endpoint ? { endpoint } : {});
  const settings: ClientSettings = { region: await regionOf(cloudFormation), ...(endpoint ? { endpoint } : {}) };
  const output = await outputsOf(cloudFormation, stack, settings.region);
  cloudFormation.destroy();

  return awsPlatform({
    clients: settings,
    table: output("TableName"),
    bucket: output("BucketName"),
    stateMachineArn: output("StateMachineArn"),
    retentionDays: Number(output("RetentionDays")),
  });
}

async function regionOf(client: CloudFormationClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw new Problem("the AWS region is not known: set AWS_REGION, or AWS_PROFILE to a profile that has one");
  }
}

/** Looks up one of the stack's outputs. */
async function outputsOf(
  client: CloudFormationClient,
  stack: string,
  region: string,
): Promise<(name: OutputName) => string> {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((error: unknown) => {
    throw problemOf(error, stack, region);
  });
  const found = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  return (name) => {
    const value = found.get(name);
    if (value !== undefined) return value;
    throw new Problem(
      `stack ${stack} in ${region} has no output ${name}, so it is no Agent Run Service or not deployed to its end; ` +
        `its outputs are ${[...found.keys()].join(", ") || "none"}, a service has ${Object.keys(outputs).join(", ")}`,
    );
  };
}

function problemOf(error: unknown, stack: string, region: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "ValidationError" && /does not exist/.test(error.message)) {
    return new Problem(
      `there is no stack ${JSON.stringify(stack)} in region ${region} of this account; ` +
        "give the whole name, as AgentRunService-prod, and set AWS_REGION or AWS_PROFILE where it is another region",
    );
  }
  if (error.name === "CredentialsProviderError") {
    return new Problem(`no AWS credentials were found (${error.message}); set AWS_PROFILE, or log in with the AWS CLI`);
  }
  return error;
}
