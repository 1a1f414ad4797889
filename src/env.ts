/** What `lib/` sets: these names and no others, each by the grant that also gives the permission to use it. */
export const envNames = [
  "TABLE_NAME",
  "BUCKET_NAME",
  "STATE_MACHINE_ARN",
  "RETENTION_DAYS",
  "ORIGIN_SECRET_ARNS", // separated by commas
] as const;

/** What only some deployments set. */
export const optionalEnvNames = [
  "SANDBOX_FUNCTION",
  "PRIVATE_ADDRESSES", // `allowed`: tools may connect beyond the public internet
  "OTEL_EXPORTER_OTLP_ENDPOINT", // read by the exporter itself
] as const;

type OptionalEnvName = (typeof optionalEnvNames)[number];

export type EnvName = (typeof envNames)[number] | OptionalEnvName;

/** The value of a name that the deployment set. Throws when it is missing, so that the function does not start. */
export function env(name: EnvName): string {
  return required(name, "A function gets it with its permission: see the grants in lib/, and deploy again.");
}

/** The value of a name that not every deployment sets. */
export function envIfSet(name: OptionalEnvName): string | undefined {
  return process.env[name] || undefined;
}

const setByLambda = "Lambda sets it; elsewhere it has to be set by hand.";

/** Region, and the endpoint override where an emulator stands in for AWS. */
export function awsPlace() {
  const endpoint = process.env["AWS_ENDPOINT_URL"];
  return { region: required("AWS_REGION", setByLambda), ...(endpoint ? { endpoint } : {}) };
}

/**
 * Where AWS is and who calls it, from what Lambda sets. The credentials outlive the process, so nothing needs to look
 * for newer ones.
 */
export function awsSettings() {
  const sessionToken = process.env["AWS_SESSION_TOKEN"];
  return {
    ...awsPlace(),
    credentials: {
      accessKeyId: required("AWS_ACCESS_KEY_ID", setByLambda),
      secretAccessKey: required("AWS_SECRET_ACCESS_KEY", setByLambda),
      ...(sessionToken ? { sessionToken } : {}),
    },
  };
}

/** Where an HTTP server listens: what Lambda says (`host:port`), or every address of its container. */
export function listenAddress(): { host: string; port: number } {
  const [host = "", port] = (process.env["AWS_LAMBDA_HTTP_ENDPOINT"] ?? "0.0.0.0:3000").split(":");
  return { host, port: Number(port) };
}

/** What a Node that the platform brings may need to find its own libraries, for processes that get nothing else. */
export function libraryPath(): Record<string, string> {
  const path = process.env["LD_LIBRARY_PATH"];
  return path ? { LD_LIBRARY_PATH: path } : {};
}

/** Whether there is an OpenTelemetry endpoint. What these names hold is read by the exporter itself. */
export function tracingWanted(environment: Record<string, string | undefined> = process.env): boolean {
  return ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].some((name) => environment[name]);
}

function required(name: string, remedy: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`The environment variable ${name} is ${value === undefined ? "missing" : "empty"}. ${remedy}`);
}
