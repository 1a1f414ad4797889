import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CliError } from "./cli.ts";

/** The AWS account and region of a command. */
export interface Aws {
  region: string;
  /** A service compatible with AWS that replaces it (`AWS_ENDPOINT_URL`). */
  endpoint?: string;
  cloudFormation: CloudFormationClient;
}

/** Finds region and credentials as the AWS CLI does. Credentials are read by the first request. */
export async function connectToAws(options: { region?: string; profile?: string } = {}): Promise<Aws> {
  const endpoint = process.env["AWS_ENDPOINT_URL"];
  const cloudFormation = new CloudFormationClient({ ...options, ...(endpoint && { endpoint }) });
  return { region: await regionOf(cloudFormation), cloudFormation, ...(endpoint && { endpoint }) };
}

async function regionOf(client: CloudFormationClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw new CliError("the AWS region is unknown; set AWS_REGION, or AWS_PROFILE to a profile with a region");
  }
}

const rejectedCredentials =
  /^(ExpiredToken|ExpiredTokenException|InvalidClientTokenId|SignatureDoesNotMatch|UnrecognizedClientException)$/;

/** Whether a stack does not exist, by the error of `DescribeStacks`. */
export function isMissingStack(error: unknown): boolean {
  return error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message);
}

/** Whether AWS has rejected the credentials of a call, or none were found. */
export function isRejectedCredentials({ name }: Error): boolean {
  return name === "CredentialsProviderError" || name === "TokenProviderError" || rejectedCredentials.test(name);
}

/** The error for the person at the terminal if AWS has no or rejects their credentials; otherwise undefined. */
export function credentialsError(error: unknown): CliError | undefined {
  if (!(error instanceof Error)) return undefined;
  const remedy = "set AWS_PROFILE, or log in with the AWS CLI";
  if (error.name === "CredentialsProviderError") {
    return new CliError(`no AWS credentials found (${error.message}); ${remedy}`);
  }
  if (rejectedCredentials.test(error.name)) {
    return new CliError(`AWS rejects the credentials (${error.name}: ${error.message}); ${remedy}`);
  }
  return undefined;
}
