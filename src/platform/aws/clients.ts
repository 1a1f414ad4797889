import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** `credentials`: absent, the SDK's own chain looks for them. `endpoint`: another service that speaks AWS's wire. */
export interface ClientSettings {
  region: string;
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  endpoint?: string;
}

/** The table that items are in, and the client that reaches it. */
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

/** Loaded when first asked for: most requests touch no object, and the client costs 40 ms of a cold start. */
export async function s3Client(settings: ClientSettings): Promise<S3Client> {
  return (await import("./bucket.ts")).s3Client(settings);
}

/**
 * What all clients share. Everything that the SDK would otherwise look up in configuration files before its first
 * request is said here. `timeout`: milliseconds for one attempt; three attempts fit the 30 s of a request to the API
 * even when each of them hangs.
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
