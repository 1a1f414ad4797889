import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { outputs, type OutputName } from "../../lib/outputs.ts";
import type { ClientSettings } from "../../src/platform/aws/clients.ts";
import { awsPlatform } from "../../src/platform/aws/index.ts";
import { CliError } from "../cli.ts";
import { type OperatorPlatform, systemUser } from "./connect.ts";

/**
 * Opens a deployed service through the outputs of its stack. Region and credentials are found as by the AWS CLI.
 * `AWS_ENDPOINT_URL` replaces AWS with a compatible endpoint.
 */
export async function openStack(stack: string): Promise<OperatorPlatform> {
  const endpoint = process.env["AWS_ENDPOINT_URL"];
  const cloudFormation = new CloudFormationClient(endpoint ? { endpoint } : {});
  const settings: ClientSettings = { region: await regionOf(cloudFormation), ...(endpoint ? { endpoint } : {}) };
  const output = await outputsOf(cloudFormation, stack, settings.region);
  cloudFormation.destroy();

  const platform = awsPlatform({
    clients: settings,
    table: output("TableName"),
    bucket: output("BucketName"),
    stateMachineArn: output("StateMachineArn"),
    secretPrefix: output("SecretPrefix"),
    retentionDays: Number(output("RetentionDays")),
  });
  return { ...platform, actor: () => callerOf(settings) };
}

/** The ARN of the caller. STS needs no permission for it. If STS cannot be reached: the user of this machine. */
async function callerOf(settings: ClientSettings): Promise<string> {
  const sts = new STSClient(settings);
  try {
    return (await sts.send(new GetCallerIdentityCommand())).Arn ?? systemUser();
  } catch {
    return systemUser();
  } finally {
    sts.destroy();
  }
}

async function regionOf(client: CloudFormationClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw new CliError("the AWS region is unknown; set AWS_REGION, or AWS_PROFILE to a profile with a region");
  }
}

/** Returns a function that looks up an output of the stack. */
async function outputsOf(
  client: CloudFormationClient,
  stack: string,
  region: string,
): Promise<(name: OutputName) => string> {
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((error: unknown) => {
    throw explainError(error, stack, region);
  });
  const found = new Map(Stacks[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  return (name) => {
    const value = found.get(name);
    if (value !== undefined) return value;
    throw new CliError(
      `stack ${stack} in ${region} has no output ${name}: it is not an Agent Run Service, its deployment failed, or it was ` +
        `deployed from an earlier version (npm run deploy updates it); ` +
        `its outputs are ${[...found.keys()].join(", ") || "none"}, expected ${Object.keys(outputs).join(", ")}`,
    );
  };
}

function explainError(error: unknown, stack: string, region: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "ValidationError" && /does not exist/.test(error.message)) {
    return new CliError(
      `stack ${JSON.stringify(stack)} does not exist in region ${region} of this account; ` +
        "pass the full name, such as AgentRunService-prod, and set AWS_REGION or AWS_PROFILE for another region",
    );
  }
  if (error.name === "CredentialsProviderError") {
    return new CliError(`no AWS credentials found (${error.message}); set AWS_PROFILE, or log in with the AWS CLI`);
  }
  return error;
}
