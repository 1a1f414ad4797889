import { setTimeout as sleep } from "node:timers/promises";
import type { CloudFormationCustomResourceResponse } from "aws-lambda";
import type { Accounts } from "../../../accounts/types.ts";
import { env } from "../../../env.ts";
import { awsAccounts } from "../accounts.ts";
import { secretsManagerClient } from "../secrets.ts";
import { type ClientSettings, documentClient } from "../sdk/clients.ts";

// Parts of the AWS platform for the function of definitions.

export function accountsOf(settings: ClientSettings): Accounts {
  return awsAccounts({ documents: documentClient(settings), table: env("TABLE_NAME") });
}

/** A permission that the same deployment gave may take some seconds to have effect. */
const waits = [1_000, 3_000, 6_000, 10_000];

/** Stores the values of keys in secrets of the stack. */
export function keyStore(settings: ClientSettings): (secretArn: string, key: string) => Promise<void> {
  return async (secretArn, key) => {
    const { PutSecretValueCommand } = await import("@aws-sdk/client-secrets-manager");
    const client = await secretsManagerClient(settings);
    const put = () => client.send(new PutSecretValueCommand({ SecretId: secretArn, SecretString: key }));
    for (const wait of waits) {
      try {
        await put();
        return;
      } catch (error) {
        if (!(error instanceof Error && error.name === "AccessDeniedException")) throw error;
        await sleep(wait);
      }
    }
    await put();
  };
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
