import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ServiceError } from "../../errors.ts";
import {
  formatSecret,
  hostRefused,
  mayBeSentTo,
  parseSecret,
  SecretRefused,
  type Secrets,
} from "../../agent/secret.ts";
import { type ClientSettings, tuned } from "./sdk/clients.ts";
import { awsSecretRefusal, resolveSecretName } from "./sdk/secret-names.ts";

/** Milliseconds for which a value is cached. After a rotation, the old key must stay valid for as long. */
const cacheMilliseconds = 60_000;

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

/**
 * `prefix`: `agent-run-service/<stage>/`. `denied`: the error for a secret that the caller may not read; without it, such a
 * secret counts as missing.
 */
export function awsSecrets(client: OpenClient, prefix: string, denied?: SecretRefused): Secrets {
  return {
    secretRefusal: awsSecretRefusal(prefix),
    secretOf: awsSecretOf(client, prefix, { denied }),
    secretProblem: awsSecretProblem(client, prefix),
    storeSecret: awsStoreSecret(client, prefix),
    acceptedSecrets: () => ({
      accepted: null,
      hint: `A secret is secretsmanager:NAME, which has the name ${prefix}ORGANIZATION_ID/NAME in AWS Secrets Manager.`,
    }),
  };
}

/** Reads secrets of AWS Secrets Manager. `client` is called at the first use. */
export function awsSecretOf(
  client: OpenClient,
  prefix: string,
  { now = Date.now, denied }: { now?: () => number; denied?: SecretRefused | undefined } = {},
): Secrets["secretOf"] {
  const cache = new Map<string, { text: string; until: number }>();

  async function read(name: string): Promise<string | undefined> {
    const cached = cache.get(name);
    if (cached && cached.until > now()) return cached.text;
    const [{ GetSecretValueCommand }, opened] = await Promise.all([
      import("@aws-sdk/client-secrets-manager"),
      client(),
    ]);
    try {
      const { SecretString } = await opened.send(new GetSecretValueCommand({ SecretId: name }));
      const text = SecretString?.trim();
      if (text) cache.set(name, { text, until: now() + cacheMilliseconds });
      return text || undefined;
    } catch (error) {
      if (denied && error instanceof Error && error.name === "AccessDeniedException") throw denied;
      if (error instanceof Error && absent.has(error.name)) return undefined;
      throw error;
    }
  }

  return async (secret, { organizationId, url }) => {
    const resolved = resolveSecretName(secret, prefix, organizationId);
    if ("refusal" in resolved) throw new SecretRefused(resolved.refusal);
    const text = await read(resolved.name);
    if (text === undefined) return undefined;
    const { value, hosts } = parseSecret(text);
    if (!mayBeSentTo(url, hosts)) throw new SecretRefused(hostRefused);
    return value;
  };
}

/** Asks AWS Secrets Manager whether the secret exists, not for its value. Rejects with the client's error. */
export function awsSecretProblem(client: OpenClient, prefix: string): Secrets["secretProblem"] {
  return async (secret, { organizationId }) => {
    const resolved = resolveSecretName(secret, prefix, organizationId);
    if ("refusal" in resolved) return `${resolved.remedy}.`;
    const { name } = resolved;
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

/** Creates a secret, or a new version of it. Functions may use the earlier value for `cacheMilliseconds`. */
function awsStoreSecret(client: OpenClient, prefix: string): Secrets["storeSecret"] {
  return async (organizationId, name, secret) => {
    const [{ CreateSecretCommand, PutSecretValueCommand }, opened] = await Promise.all([
      import("@aws-sdk/client-secrets-manager"),
      client(),
    ]);
    const full = `${prefix}${organizationId}/${name}`;
    const SecretString = formatSecret(secret);
    try {
      await opened.send(new CreateSecretCommand({ Name: full, SecretString }));
    } catch (error) {
      const reason = error instanceof Error ? error.name : "";
      if (reason === "InvalidRequestException") {
        const restore = `restore it (aws secretsmanager restore-secret --secret-id ${full}), or use another name`;
        throw new ServiceError("invalid_argument", `the secret ${full} is being deleted; ${restore}`);
      }
      if (reason !== "ResourceExistsException") throw error;
      await opened.send(new PutSecretValueCommand({ SecretId: full, SecretString }));
    }
    return `secretsmanager:${name}`;
  };
}

/** Loaded at the first use: models on Bedrock and servers without a key need no secret. */
export async function secretsManagerClient(settings: ClientSettings): Promise<SecretsManagerClient> {
  const { SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  return new SecretsManagerClient(tuned(settings, 5_000));
}
