/** What `lib/` sets: these names and no others, each by the grant that also gives the permission to use it. */
export const envNames = ["TABLE_NAME", "BUCKET_NAME", "STATE_MACHINE_ARN"] as const;

export type EnvName = (typeof envNames)[number];

/** The value of a name that the deployment set. Throws when it is missing, so that the function does not start. */
export function env(name: EnvName): string {
  return required(name, "A function gets it with its permission: see the grants in lib/, and deploy again.");
}

/**
 * Where AWS is and who calls it, from what Lambda sets. The credentials outlive the process, so nothing needs to look
 * for newer ones. `endpoint` is there where something else than AWS speaks its wire.
 */
export function awsSettings() {
  const remedy = "Lambda sets it; elsewhere it has to be set by hand.";
  const sessionToken = process.env["AWS_SESSION_TOKEN"];
  const endpoint = process.env["AWS_ENDPOINT_URL"];
  return {
    region: required("AWS_REGION", remedy),
    credentials: {
      accessKeyId: required("AWS_ACCESS_KEY_ID", remedy),
      secretAccessKey: required("AWS_SECRET_ACCESS_KEY", remedy),
      ...(sessionToken ? { sessionToken } : {}),
    },
    ...(endpoint ? { endpoint } : {}),
  };
}

function required(name: string, remedy: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`The environment variable ${name} is ${value === undefined ? "missing" : "empty"}. ${remedy}`);
}
