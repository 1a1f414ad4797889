import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type ClientSettings, tuned } from "./clients.ts";
import { secretPrefix } from "./table.ts";
import type { Secrets } from "../../agent/secret.ts";

/** Milliseconds for which a value is cached. After a rotation, the old key must stay valid for as long. */
const cacheMilliseconds = 5 * 60_000;

// The secret does not exist, is not readable, or is being deleted. A retry does not help.
const absent = new Set([
  "AccessDeniedException",
  "DecryptionFailure",
  "InvalidParameterException",
  "InvalidRequestException",
  "ResourceNotFoundException",
  "ValidationException",
]);

type OpenClient = () => Promise<SecretsManagerClient>;

export function awsSecrets(client: OpenClient): Secrets {
  return {
    secretExists: awsSecretExists,
    secretOf: awsSecretOf(client),
    secretProblem: awsSecretProblem(client),
  };
}

/** Checks the form `secretsmanager:agent-run-service/NAME` only. Existence was checked when it was configured. */
export function awsSecretExists(secret: string): boolean {
  return nameOf(secret) !== undefined;
}

/** Reads secrets of AWS Secrets Manager. The secret string is the API key. `client` is called at the first use. */
export function awsSecretOf(client: OpenClient, now: () => number = Date.now) {
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
      if (value) cache.set(name, { value, until: now() + cacheMilliseconds });
      return value || undefined;
    } catch (error) {
      if (error instanceof Error && absent.has(error.name)) return undefined;
      throw error;
    }
  };
}

/** Asks AWS Secrets Manager whether the secret exists, not for its value. Rejects with the client's error. */
export function awsSecretProblem(client: OpenClient) {
  return async (secret: string): Promise<string | undefined> => {
    const name = nameOf(secret);
    if (name === undefined) {
      return `on AWS, a secret is secretsmanager:${secretPrefix}NAME; the functions can read no others.`;
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
      return `${name} does not exist in this region; create it (aws secretsmanager create-secret --name ${name}).`;
    }
  };
}

/** Loaded at the first use: models on Bedrock and servers without a key need no secret. */
export async function secretsManagerClient(settings: ClientSettings): Promise<SecretsManagerClient> {
  const { SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  return new SecretsManagerClient(tuned(settings, 5_000));
}

function nameOf(secret: string): string | undefined {
  const [, name] = /^secretsmanager:([\w/+=.@-]{1,512})$/.exec(secret) ?? [];
  return name?.startsWith(secretPrefix) && name.length > secretPrefix.length ? name : undefined;
}
