type Input = Record<string, unknown>;

/** The operations of AWS Secrets Manager on secrets that exist. `secrets`: current values by id. */
export function fakeSecrets(secrets: Record<string, string>): Record<string, (input: Input) => Answer> {
  /** Values by secret and by the token of the client that put them, which is the version's id. */
  const versions = new Map<string, string>();

  return {
    PutSecretValue({ SecretId, SecretString, ClientRequestToken }) {
      const [id, value, version] = [String(SecretId), String(SecretString), versionOf(SecretId, ClientRequestToken)];
      if (!(id in secrets)) return refused("ResourceNotFoundException");
      const stored = versions.get(version);
      if (stored !== undefined && stored !== value) return refused("ResourceExistsException");
      if (stored === undefined) secrets[id] = value;
      versions.set(version, value);
      return { status: 200, body: { ARN: id, Name: id } };
    },
    GetSecretValue({ SecretId, VersionId }) {
      const value = VersionId === undefined ? secrets[String(SecretId)] : versions.get(versionOf(SecretId, VersionId));
      return { status: 200, body: { ARN: SecretId, Name: SecretId, SecretString: value } };
    },
  };
}

interface Answer {
  status: number;
  body: object;
}

const versionOf = (secret: unknown, version: unknown): string => `${String(secret)} ${String(version)}`;

function refused(__type: string): Answer {
  return { status: 400, body: { __type } };
}
