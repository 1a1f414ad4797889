/** What a secret is used for. */
export interface SecretUse {
  /** The organization whose configuration names the secret. */
  organizationId: string;
  /** The key of a model's provider, or a header that an MCP server receives. */
  purpose: "model" | "header";
  /** URL of the server that its value is sent to. */
  url: string;
}

/** Reads a secret for one organization. Resolves and rejects as `Secrets.secretOf` does. */
export type ReadSecret = (secret: string, url: string) => Promise<string | undefined>;

/**
 * Store of the credentials that configurations refer to by name. No error contains a value.
 *
 * A refusal is a clause without a subject, such as "is not allowed". It does not name the secret: API callers see it.
 */
export interface Secrets {
  /** Why the secret cannot be used. Undefined: no reason is known without a network call. */
  secretRefusal: (secret: string, use: SecretUse) => string | undefined;
  /**
   * The value of a secret.
   * - Undefined: it does not exist or cannot be read.
   * - Rejects with `SecretRefused` when the configuration must change.
   * - Rejects with another error when the look-up failed; a retry can help.
   */
  secretOf: (secret: string, use: SecretUse) => Promise<string | undefined>;
  /** Why the service cannot use the secret, as a sentence. Undefined: it can. For operators' commands. */
  secretProblem: (secret: string, use: SecretUse) => Promise<string | undefined>;
  acceptedSecrets: () => AcceptedSecrets;
  /**
   * Stores a secret of an organization, or replaces it, where only the service can read it. Resolves with its location, for
   * configurations. `name`: letters, digits, `_` and `-`.
   */
  storeSecret: (organizationId: string, name: string, secret: SecretValue) => Promise<string>;
}

/** The value of a stored secret. `hosts`: where it may be sent to; absent: anywhere. See `mayBeSentTo`. */
export interface SecretValue {
  value: string;
  hosts?: string[];
}

/** The text of a stored secret. `parseSecret` reads it. */
export function formatSecret({ value, hosts }: SecretValue): string {
  return JSON.stringify({ value, ...(hosts && { hosts }) });
}

/** Which secrets configurations may name, for operators. It contains no values. */
export interface AcceptedSecrets {
  /** Such as `env:OPENAI_API_KEY`. Null: they are not listed. */
  accepted: string[] | null;
  /** What names look like, and how further ones are accepted. */
  hint: string;
}

/** The secret must not be used in this way. The message is a refusal. `remedy`: what to do, as a sentence. */
export class SecretRefused extends Error {
  override name = "SecretRefused";
  readonly remedy: string | undefined;

  constructor(refusal: string, remedy?: string) {
    super(refusal);
    this.remedy = remedy;
  }
}

/** The refusal of a secret that does not exist. */
export const secretMissing = "does not exist or may not be read; create it (a file with mode 600), or name another";

/**
 * Whether the value of a secret may be sent to a URL. Undefined `hosts`: any. An entry is
 * - a name such as `api.openai.com`: every port, with TLS only, or on this machine,
 * - a name and a port: this port, also without TLS.
 */
export function mayBeSentTo(url: string, hosts: string[] | undefined): boolean {
  if (hosts === undefined) return true;
  const parsed = URL.parse(url);
  if (!parsed) return false;
  const { hostname, protocol } = parsed;
  const anyPort = protocol === "https:" || loopback.test(hostname);
  return hosts.some(
    (each) => each.toLowerCase() === hostWithPort(parsed) || (anyPort && each.toLowerCase() === hostname),
  );
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Name and port of a URL, such as `api.openai.com:443`. */
export function hostWithPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** The refusal of a secret that may not be sent to a host. */
export const hostRefused = "may not be sent to this host; it is limited to other hosts";

/**
 * Parses the text of a secret: the value itself, or `{"value": "…", "hosts": ["api.openai.com"]}`. Other JSON objects are
 * refused: the console of Secrets Manager makes them from key/value pairs, and no API key has this form.
 */
export function parseSecret(text: string): SecretValue {
  const json = parseJsonObject(text);
  if (json === undefined) return { value: text };
  const { value, hosts, ...others } = json;
  const hostsValid = hosts === undefined || (Array.isArray(hosts) && hosts.every((host) => typeof host === "string"));
  if (typeof value !== "string" || value === "" || !hostsValid || Object.keys(others).length > 0) {
    throw new SecretRefused(
      'contains JSON other than {"value": "KEY", "hosts": ["HOST"]}; store the key as plain text',
    );
  }
  return { value, ...(hosts !== undefined && { hosts }) };
}

function parseJsonObject(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
