import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** `credentials`: default, the SDK's provider chain. `endpoint`: a service compatible with AWS. */
export interface ClientSettings {
  region: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  endpoint?: string;
}

/** A DynamoDB table and its client. */
export interface DynamoTable {
  documents: DynamoDBDocumentClient;
  table: string;
}

export function documentClient(settings: ClientSettings): DynamoDBDocumentClient {
  const dynamo = new DynamoDBClient({
    ...tuned(settings, 3_000),
    accountIdEndpointMode: "disabled",
    endpointDiscoveryEnabled: false,
  });
  return DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
}

export function sfnClient(settings: ClientSettings): SFNClient {
  return new SFNClient(tuned(settings, 5_000));
}

/** Loads the client at the first use: most requests access no object, and loading takes 40 ms of a cold start. */
export async function loadS3Client(settings: ClientSettings): Promise<S3Client> {
  const { newS3Client: open } = await import("../s3/bucket.ts");
  return open(tuned(settings, 8_000)); // a 10 MiB upload takes well under 1 s within a region
}

/**
 * Settings of all clients. They include everything that the SDK would otherwise look up in configuration files before
 * its first request. `timeout`: milliseconds per attempt. Three attempts fit into the 30 s of an API request.
 */
export function tuned(settings: ClientSettings, timeout: number) {
  return {
    ...settings,
    maxAttempts: 3,
    retryMode: "standard" as const,
    defaultsMode: "standard" as const,
    authSchemePreference: [] as string[],
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: async (): Promise<undefined> => undefined,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: timeout, throwOnRequestTimeout: true },
  };
}
