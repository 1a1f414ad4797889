import { setTimeout as sleep } from "node:timers/promises";
import type { CloudFormationCustomResourceResponse } from "aws-lambda";
import type { Accounts } from "../../../accounts/account-types.ts";
import { env } from "../../../env.ts";
import { accountsOf as accountsIn } from "../../records/accounts.ts";
import { awsRecords } from "../records.ts";
import { secretsManagerClient } from "../secrets.ts";
import { type ClientSettings, documentClient } from "../sdk/clients.ts";

// Parts of the AWS platform for the function of definitions.

export function accountsOf(settings: ClientSettings): Accounts {
  return accountsIn(awsRecords({ documents: documentClient(settings), table: env("TABLE_NAME") }));
}

/** A permission that the same deployment gave may take some seconds to have effect. */
const waits = [1_000, 3_000, 6_000, 10_000];

/**
 * Stores the values of keys in secrets of the stack. The version that a request makes has its id: another value for the same
 * request is refused, and the one that is stored is read.
 */
export function keyStore(
  settings: ClientSettings,
): (secretArn: string, key: string, requestId: string) => Promise<string> {
  return async (SecretId, SecretString, requestId) => {
    const { GetSecretValueCommand, PutSecretValueCommand, ResourceExistsException } =
      await import("@aws-sdk/client-secrets-manager");
    const client = await secretsManagerClient(settings);
    const put = new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken: requestId });
    const get = new GetSecretValueCommand({ SecretId, VersionId: requestId });
    try {
      await onceAllowed(() => client.send(put));
      return SecretString;
    } catch (error) {
      if (!(error instanceof ResourceExistsException)) throw error;
    }
    return (await onceAllowed(() => client.send(get))).SecretString ?? "";
  };
}

async function onceAllowed<Output>(send: () => Promise<Output>): Promise<Output> {
  for (const wait of waits) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Error && error.name === "AccessDeniedException")) throw error;
    }
    await sleep(wait);
  }
  return send();
}

/** Sends the response that CloudFormation waits for, to a signed URL of S3. Rejects if it was not accepted. */
export async function respond(url: string, response: CloudFormationCustomResourceResponse): Promise<void> {
  const body = JSON.stringify(response);
  for (const wait of [...waits.slice(0, 2), undefined]) {
    // The signature covers an empty content type.
    const answer = await fetch(url, { method: "PUT", headers: { "content-type": "" }, body }).catch(() => undefined);
    if (answer?.ok) return;
    if (wait !== undefined) await sleep(wait);
  }
  throw new Error("CloudFormation's address did not accept the response");
}
