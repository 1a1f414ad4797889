import { DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { frontDoorStackName, outputs, type OutputName } from "../../lib/outputs.ts";
import { commandLine } from "../../src/command-line.ts";
import { SecretRefused } from "../../src/agent/secret.ts";
import type { ClientSettings } from "../../src/platform/aws/sdk/clients.ts";
import { stackEnvironments } from "../../src/platform/aws/functions/environment-facts.ts";
import { awsPlatform } from "../../src/platform/aws/open-platform.ts";
import { type Aws, connectToAws, credentialsError, isMissingStack } from "../aws.ts";
import { CliError } from "../cli.ts";
import { type OperatorPlatform, systemUser } from "./operator-platform.ts";

/** The operator policy does not include the values of secrets: runs need them, operators do not. */
export const deniedSecret = new SecretRefused(
  "may not be read with your AWS credentials: they lack secretsmanager:GetSecretValue for it",
  "Start a run to test the model with the permissions of the service, or allow your user or role " +
    "secretsmanager:GetSecretValue on this secret, then test again.",
);

/**
 * Opens a deployed service through the outputs of its stack. Region and credentials are found as by the AWS CLI.
 * `AWS_ENDPOINT_URL` replaces AWS with a compatible endpoint.
 */
export async function openStack(stack: string): Promise<OperatorPlatform> {
  const aws = await connectToAws();
  const { region, endpoint } = aws;
  const settings: ClientSettings = { region, ...(endpoint && { endpoint }) };
  const found = await stackOutputs(aws, stack);
  const output = (name: OutputName): string => found.get(name) ?? missingOutput(name, stack, aws.region, found);
  aws.cloudFormation.destroy();

  const platform = awsPlatform({
    clients: settings,
    table: output("TableName"),
    bucket: output("BucketName"),
    stateMachineArn: output("StateMachineArn"),
    secretPrefix: output("SecretPrefix"),
    retentionDays: Number(output("RetentionDays")),
    deniedSecret,
  });
  const requireTokens = (): never => {
    throw new CliError(
      `the operators of a stack are users of its AWS account; open its console: ${commandLine("console", `--stack ${stack}`)}`,
    );
  };
  const images = found.get("EnvironmentImages"); // a stack of an earlier version has no such output
  const isListed = images !== undefined && found.get("SandboxMode") !== "off";
  return {
    ...platform,
    ...(isListed && { environments: stackEnvironments(settings, output("BucketName"), images) }),
    actor: () => callerOf(settings),
    isServed: () => true,
    requireTokens,
    consoleAddress: requireTokens,
  };
}

/** The base URL of a service for its clients: that of its front door if it has one. */
export async function serviceUrlOf(stack: string): Promise<string | null> {
  const aws = await connectToAws();
  try {
    const urlOf = async (name: string, output: string) => (await stackOutputs(aws, name)).get(output);
    const frontDoor = stack.replace(/^AgentRunService-/, frontDoorStackName(""));
    // Without a front door, or without permission to look, the API itself is an address, too.
    const baseUrl = await urlOf(frontDoor, "BaseUrl").catch(() => undefined);
    return baseUrl ?? (await urlOf(stack, "ApiUrl")) ?? null;
  } finally {
    aws.cloudFormation.destroy();
  }
}

/** The ARN of the caller. STS needs no permission for it. If STS cannot be reached: the user of this machine, marked as such. */
async function callerOf(settings: ClientSettings): Promise<string> {
  const sts = new STSClient(settings);
  try {
    return (await sts.send(new GetCallerIdentityCommand())).Arn ?? unknownCaller();
  } catch {
    return unknownCaller();
  } finally {
    sts.destroy();
  }
}

function unknownCaller(): string {
  return `local user ${systemUser()} (AWS identity unknown)`;
}

function missingOutput(name: OutputName, stack: string, region: string, found: Map<string, string>): never {
  throw new CliError(
    `stack ${stack} in ${region} has no output ${name}: it is not an Agent Run Service, its deployment failed, or it was ` +
      `deployed from an earlier version (npm run deploy updates it); ` +
      `its outputs are ${[...found.keys()].join(", ") || "none"}, expected ${Object.keys(outputs).join(", ")}`,
  );
}

/** The outputs of a stack by name. */
export async function stackOutputs({ cloudFormation, region }: Aws, stack: string): Promise<Map<string, string>> {
  const describe = new DescribeStacksCommand({ StackName: stack });
  const { Stacks = [] } = await cloudFormation.send(describe).catch((error: unknown) => {
    throw explainError(error, stack, region);
  });
  return new Map(Stacks[0]?.Outputs?.map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]));
}

function explainError(error: unknown, stack: string, region: string): unknown {
  if (isMissingStack(error)) {
    return new CliError(
      `stack ${JSON.stringify(stack)} does not exist in region ${region} of this account; ` +
        "pass the full name, such as AgentRunService-prod, and set AWS_REGION or AWS_PROFILE for another region",
    );
  }
  return credentialsError(error) ?? error;
}
