/** Environment variables that `lib/` sets, each together with the permission to use what it names. */
export const envNames = [
  "TABLE_NAME",
  "BUCKET_NAME",
  "STATE_MACHINE_ARN",
  "RETENTION_DAYS",
  "SECRET_PREFIX", // of the names of this deployment's secrets: `agent-run-service/<stage>/`
  "ORIGIN_SECRET_ARNS", // separated by commas
] as const;

/** Variables of the functions of the extension API. */
const extEnvNames = ["MAX_UPLOAD_BYTES"] as const;

/** Variables of the functions that send webhook deliveries. */
const deliveryEnvNames = [
  "DELIVERY_QUEUE_URL",
  "DELIVERY_QUEUE_ARN",
  "DELIVERY_SCHEDULE_GROUP",
  "DELIVERY_SCHEDULE_ROLE_ARN",
] as const;

/** Variables of the functions of the console's stack. */
const consoleEnvNames = [
  "SIGN_IN", // JSON: how the console's page signs people in
  "CONSOLE_ROLES", // JSON: which people are operators and viewers
  "SERVICE_STACK",
  "SERVICE_URL", // base URL of the service for its clients
] as const;

/** Variables that only some deployments set. */
export const optionalEnvNames = [
  "CORS_ORIGINS", // of pages that may use the extension API, separated by commas
  // Of `advance`, in each deployment. An update from 0.2.0, and a return to it, starts code with the other release's variables for
  // some seconds: CloudFormation changes a function's variables and its code in two calls.
  "DOCUMENTS_FUNCTION", // reads documents, and checks results
  "SANDBOX_ENDPOINT", // of Lambda in the stack's region and partition
  "SANDBOX_BUCKET_URL", // for the functions that `advance` calls
  "SANDBOX_FUNCTION", // runs JavaScript
  "SANDBOX_ENVIRONMENTS", // JSON: the functions of the Linux environments
  "SANDBOX_TENANCY", // `off`: the functions of the sandbox have no tenant isolation
  "ENVIRONMENT_IMAGES", // JSON: ids of the images of the Linux environments, by name
  "PRIVATE_ADDRESSES", // `allowed`: tools may connect to private addresses
  "OTEL_EXPORTER_OTLP_ENDPOINT", // read by the exporter itself
] as const;

type OptionalEnvName = (typeof optionalEnvNames)[number];

/** A variable that `lib/` sets in each deployment that has the function. */
export type RequiredEnvName = (
  | typeof envNames
  | typeof extEnvNames
  | typeof deliveryEnvNames
  | typeof consoleEnvNames
)[number];

export type EnvName = RequiredEnvName | OptionalEnvName;

/** A variable that every deployment sets. Throws if it is missing, so that the function does not start. */
export function env(name: EnvName): string {
  return required(name, "lib/ sets it with the permission: add the grant there and deploy again.");
}

/** A variable that some deployments set. */
export function envIfSet(name: OptionalEnvName): string | undefined {
  return process.env[name] || undefined;
}

const setByLambda = "Lambda sets it; set it yourself elsewhere.";

/** Region, and the endpoint of an AWS emulator if one is used. Without credentials: clients look them up and renew them. */
export function awsLocation() {
  const endpoint = process.env["AWS_ENDPOINT_URL"];
  return { region: required("AWS_REGION", setByLambda), ...(endpoint ? { endpoint } : {}) };
}

/** Region, endpoint and credentials that Lambda sets. The credentials outlive the process: it never renews them. */
export function awsSettings() {
  const sessionToken = process.env["AWS_SESSION_TOKEN"];
  return {
    ...awsLocation(),
    credentials: {
      accessKeyId: required("AWS_ACCESS_KEY_ID", setByLambda),
      secretAccessKey: required("AWS_SECRET_ACCESS_KEY", setByLambda),
      ...(sessionToken ? { sessionToken } : {}),
    },
  };
}

/** Address that an HTTP server listens on: the one that Lambda sets (`host:port`), or all addresses of the container. */
export function listenAddress(): { host: string; port: number } {
  const [host = "", port] = (process.env["AWS_LAMBDA_HTTP_ENDPOINT"] ?? "0.0.0.0:3000").split(":");
  return { host, port: Number(port) };
}

/** What Lambda tells a function whose image has no runtime of AWS's: the address of its API, and the memory in MB. */
export function runtimeSettings(): { api: string; memoryMegabytes: number } {
  return {
    api: required("AWS_LAMBDA_RUNTIME_API", setByLambda),
    memoryMegabytes: Number(required("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", setByLambda)),
  };
}

/** The variable that Lambda's Node needs to find its libraries, for child processes with an otherwise empty environment. */
export function libraryPath(): Record<string, string> {
  const path = process.env["LD_LIBRARY_PATH"];
  return path ? { LD_LIBRARY_PATH: path } : {};
}

export interface CollectorSettings {
  /** URL of the collector. */
  endpoint: string;
  /** Undefined: OpenTelemetry's default. */
  protocol?: string;
  /** Headers for the collector, such as `api-key=abc,x=1`. May contain secrets. */
  headers: string;
}

export interface TraceSettings extends CollectorSettings {
  /** Whether spans have the texts of messages, tool calls and results. */
  content: boolean;
  /** Absent: metrics are not sent. */
  metrics?: CollectorSettings;
}

type Environment = Record<string, string | undefined>;

/**
 * OpenTelemetry settings for traces and metrics; undefined without an endpoint for traces. The exporters read the same variables,
 * and those for timeout, compression and certificates.
 */
export function traceSettings(environment: Environment = process.env): TraceSettings | undefined {
  const traces = collectorSettings(environment, "TRACES");
  if (!traces) return undefined;
  const metrics =
    environment["OTEL_METRICS_EXPORTER"] === "none" ? undefined : collectorSettings(environment, "METRICS");
  const captured = environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] ?? "";
  return { ...traces, content: capturesInSpans.test(captured), ...(metrics && { metrics }) };
}

/** Values of the variable with which spans have texts. `EVENT_ONLY` asks for log events, which are not sent. */
const capturesInSpans = /^(true|span_only|span_and_event)$/i;

function collectorSettings(environment: Environment, signal: "TRACES" | "METRICS"): CollectorSettings | undefined {
  const read = (name: string): string | undefined =>
    environment[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const endpoint = read("ENDPOINT");
  if (endpoint === undefined) return undefined;
  const protocol = read("PROTOCOL");
  const headers = ["OTEL_EXPORTER_OTLP_HEADERS", `OTEL_EXPORTER_OTLP_${signal}_HEADERS`].map(
    (name) => environment[name],
  );
  return { endpoint, headers: headers.filter(Boolean).join(","), ...(protocol !== undefined && { protocol }) };
}

function required(name: string, remedy: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`The environment variable ${name} is ${value === undefined ? "missing" : "empty"}. ${remedy}`);
}
