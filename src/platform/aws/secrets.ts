import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type ClientSettings, tuned } from "./clients.ts";
import { secretPrefix } from "./table.ts";

/** A changed key is used after this many milliseconds at the latest; the old one has to be good for as long. */
const cachedFor = 5 * 60_000;

// There is no such secret, or it can't be read by this account, or it is being deleted. Waiting does not help.
const absent = new Set([
  "AccessDeniedException",
  "DecryptionFailure",
  "InvalidParameterException",
  "InvalidRequestException",
  "ResourceNotFoundException",
  "ValidationException",
]);

/**
 * Whether a secret's name, as `secretsmanager:agent-run-service/NAME`, has the form of those in AWS Secrets Manager.
 * Whether there is such a secret was asked when it was configured.
 */
export function awsSecretExists(secret: string): boolean {
  return nameOf(secret) !== undefined;
}

/**
 * Reads secrets from AWS Secrets Manager and keeps them in memory for five minutes. The secret is text, the API key
 * alone. `client` is called when a secret is first asked for.
 */
export function awsSecretOf(client: () => Promise<SecretsManagerClient>, now: () => number = Date.now) {
  const cache = new Map<string, { value: string; until: number }>();
  return async (secret: string): Promise<string | undefined> => {
    const name = nameOf(secret);
    if (name === undefined) return undefined;
    const cached = cache.get(name);
    if (cached && cached.until > now()) return cached.value;
    const [{ GetSecretValueCommand }, opened] = await Promise.all([
      import("@aws-sdk/client-secrets-manager"),
      client(),
    ]);
    try {
      const { SecretString } = await opened.send(new GetSecretValueCommand({ SecretId: name }));
      const value = SecretString?.trim();
      if (value) cache.set(name, { value, until: now() + cachedFor });
      return value || undefined;
    } catch (error) {
      if (error instanceof Error && absent.has(error.name)) return undefined;
      throw error;
    }
  };
}

/**
 * Why functions can't use a secret by this name, as a sentence; undefined when they can. Asks AWS Secrets Manager
 * whether there is one, not for its value. Rejects with the client's error when it gives no answer to that.
 */
export function awsSecretProblem(client: () => Promise<SecretsManagerClient>) {
  return async (secret: string): Promise<string | undefined> => {
    const name = nameOf(secret);
    if (name === undefined) {
      return `on AWS a secret is secretsmanager:${secretPrefix}NAME; the functions may read no others.`;
    }
    const [{ DescribeSecretCommand, ResourceNotFoundException }, opened] = await Promise.all([
      import("@aws-sdk/client-secrets-manager"),
      client(),
    ]);
    try {
      const { DeletedDate } = await opened.send(new DescribeSecretCommand({ SecretId: name }));
      return DeletedDate && `${name} is being deleted; restore it (aws secretsmanager restore-secret).`;
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      return `there is no ${name} in this region; make it (aws secretsmanager create-secret --name ${name}).`;
    }
  };
}

/** Loaded when first asked for: models on Bedrock, and organizations without a key, need none. */
export async function secretsManagerClient(settings: ClientSettings): Promise<SecretsManagerClient> {
  const { SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  return new SecretsManagerClient(tuned(settings, 5_000));
}

function nameOf(secret: string): string | undefined {
  const [, name] = /^secretsmanager:([\w/+=.@-]{1,512})$/.exec(secret) ?? [];
  return name?.startsWith(secretPrefix) && name.length > secretPrefix.length ? name : undefined;
}
