import type { Node } from "constructs";
import type { VpcProps } from "aws-cdk-lib/aws-ec2";
import { parseOrigin } from "../src/http/origin.ts";
import { reservationsOf } from "./concurrency.ts";
import { consoleConflicts, consoleSettings } from "./console/settings.ts";
import type { UploadHosting } from "./front-door/hosting.ts";
import type { AgentRunServiceProps } from "./service-props.ts";
import { type Environments, parseEnvironments } from "./sandbox/environments.ts";
import { autoOr, list, listOf, oneOf, pattern, type Setting, setting, wholeNumber } from "./setting.ts";

/**
 * The settings of a deployment: in `cdk.json` under `context`, or `cdk deploy --context name=value`. The table in docs/deploying.md
 * is generated from them.
 */
export const settings = {
  stage: pattern(
    "Deployment name; an account and region can have several.",
    "prod",
    /^[a-z][a-z0-9-]{0,19}$/,
    "1 to 20 lower-case letters, digits and hyphens, starting with a letter",
  ),
  removal: oneOf("What `cdk destroy` does with table and bucket: `retain` or `destroy`.", "retain", "destroy"),
  retentionDays: wholeNumber("Days after its creation that a run is deleted ([note](#retention)).", 90, 1, 3_650),
  corsOrigins: listOf(
    "Origins of pages that may use `/ext/v1`, such as `https://app.example.com`.",
    "origins separated by commas, such as https://app.example.com",
    parseOrigin,
  ),
  requestsPerSecond: autoOr("Request rate of all callers together; above it, 429 ([note](#concurrency)).", 1, 10_000),
  concurrentRuns: autoOr("Maximum number of runs in progress; 0: no limit ([note](#concurrency)).", 0, 100_000),
  warm: wholeNumber(
    "Environments kept ready for each of three functions, 0 to 100 ([note](#warm-functions)).",
    0,
    0,
    100,
  ),
  alarmEmail: pattern(
    "Address for alarm notifications.",
    "",
    /^([^\s@]+@[^\s@]+\.[^\s@]+)?$/,
    "an email address, or an empty string for none",
  ),
  bedrockModels: list(
    "Ids of Amazon Bedrock models and inference profiles that agents can use, separated by commas.",
    "model or inference profile ids separated by commas, such as anthropic.claude-sonnet-4-5-20250929-v1:0",
    /^[a-z0-9][a-z0-9.:-]{2,150}$/,
  ),
  largeBodies: oneOf<UploadHosting | "off">(
    "Upload server: `web-function`, `fargate` or `off` ([note](#large-bodies)).",
    "web-function",
    "fargate",
    "off",
  ),
  domain: pattern(
    "Custom domain of the front door ([note](#custom-domain)).",
    "",
    /^((?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])?$/,
    "a lower-case domain name with at least one dot, such as api.example.com, or an empty string for none",
  ),
  certificate: pattern(
    "ARN of the certificate for `domain`, in us-east-1.",
    "",
    /^(arn:aws:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]{1,64})?$/,
    "the ARN of an AWS Certificate Manager certificate in us-east-1, such as " +
      "arn:aws:acm:us-east-1:111122223333:certificate/…, or an empty string for none",
  ),
  originSecretGeneration: wholeNumber(
    "Increase by one and deploy to rotate the upload server's secret.",
    1,
    1,
    999_999_999,
  ),
  availabilityZones: setting<string[]>(
    "Names of the two zones for the VPCs ([note](#availability-zones)).",
    [],
    "two zone names separated by a comma, such as us-east-1c,us-east-1d, or an empty string for the region's first two",
    (value) => {
      const names = String(value).split(",");
      if (String(value) === "") return [];
      return names.length === 2 && names.every((name) => /^[a-z]{2}(-[a-z]+)+-\d[a-z]$/.test(name)) ? names : undefined;
    },
  ),
  sandbox: oneOf(
    "What agents can run: `linux`, `javascript` or `off` ([note](#sandbox)).",
    "linux",
    "javascript",
    "off",
  ),
  sandboxArchitecture: oneOf(
    "Processor of Linux environments: `arm64` or `x86_64` ([note](#sandbox)).",
    "arm64",
    "x86_64",
  ),
  sandboxTenancy: oneOf(
    "Lambda keeps agents apart in the sandbox: `on` or `off` ([note](#tenant-isolation)).",
    "on",
    "off",
  ),
  environments: setting<Environments>(
    "Linux environments by name, each a folder or an image ([note](#environments)).",
    { linux: "environment" },
    "NAME=FOLDER or NAME=IMAGE@sha256:…, separated by commas, or an object, such as linux=environment,data=images/data; " +
      "the environment linux is required",
    parseEnvironments,
  ),
  s3PrefixList: pattern(
    "Id of AWS's prefix list of S3 in the region. `npm run deploy` looks it up.",
    "",
    /^(pl-[0-9a-f]{8,17})?$/,
    "the id of a prefix list, such as pl-63a5400a, or an empty string",
  ),
  privateAddresses: oneOf(
    "Connections to private IP addresses: `refused` or `allowed` ([note](#private-addresses)).",
    "refused",
    "allowed",
  ),
  otlpEndpoint: setting<string>(
    "Base URL of an OpenTelemetry collector ([note](#traces)).",
    "",
    "the http or https base URL of a collector, such as https://collector.example.com:4318, without user, password " +
      "and query, or an empty string for none",
    (value) => (value === "" || isPlainUrl(String(value)) ? String(value) : undefined),
  ),
  ...consoleSettings,
};

type SettingTable = typeof settings;

export type Settings = { [Name in keyof SettingTable]: SettingTable[Name]["fallback"] };

/** A URL without credentials: everyone who can view a function can read its environment variables. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[@?#\s]/.test(text);
}

/** Reads the settings from the CDK context. Throws one error that lists every invalid setting. */
export function readSettings(node: Node): Settings {
  const remedy = 'Correct them in cdk.json under "context", or with --context name=value';
  return checkedSettings(node.getAllContext() as Record<string, unknown>, remedy);
}

/** The settings that properties of the construct are. Throws one error that lists every invalid one. */
export function settingsOf(props: Omit<AgentRunServiceProps, "alarmTopic">): Settings {
  return checkedSettings({ ...props }, "Correct the properties of AgentRunService");
}

function checkedSettings(context: Record<string, unknown>, remedy: string): Settings {
  const problems = unknownNames(context);
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, { fallback, accepted, parse }]) => {
    const value = context[name];
    if (value === undefined) return [name, fallback];
    const parsed = parse(value);
    if (parsed === undefined) problems.push(`${name}: received ${JSON.stringify(value)}; accepted: ${accepted}`);
    return [name, parsed];
  });
  const result = Object.fromEntries(entries) as Settings;
  if (problems.length === 0) problems.push(...conflicts(result));
  if (problems.length > 0) {
    throw new Error(`Invalid settings. ${remedy}:\n  ${problems.join("\n  ")}`);
  }
  return result;
}

/** Context keys of the CDK CLI without a prefix. `cdk cli-telemetry` and `cdk acknowledge` write them. */
const cliKeys = new Set(["cli-telemetry", "acknowledged-issue-numbers"]);

/** Settings of 0.2.0 whose defaults are constants. */
const constants = [
  "fileVersions",
  "workspaceFiles",
  "workspaceMegabytes",
  "maxTranscriptMegabytes",
  "uploadsPerSecond",
  "uploadEnvironments",
  "sandboxMemory",
  "sandboxStorage",
  "requestBurst",
  "runbookUrl",
];

/** Settings of earlier releases, and what applies now. */
const formerSettings: Partial<Record<string, string>> = {
  ...Object.fromEntries(constants.map((name) => [name, "its default of 0.2.0 applies"])),
  logRetentionDays: "logs are kept for 30 days; for others, set the retention of the log groups",
  maxUploadMegabytes: "programs can upload files of up to 200 MB",
  monthlyBudget: "create the budget in AWS Budgets",
  eventStreams: "streams of events stay open with a front door; without one (largeBodies off), clients poll",
  programSeconds: "a program may take 120 seconds unless the model sets another limit",
  consoleDomainPrefix: "the domain of the sign-in page is derived from the stage",
};

/** CDK and its libraries prefix their other context keys. Any other unknown name is a typing error. */
function unknownNames(context: Record<string, unknown>): string[] {
  return Object.keys(context)
    .filter((name) => !/[@:]/.test(name) && !cliKeys.has(name) && !(name in settings))
    .map((name) => {
      const now = formerSettings[name];
      if (now !== undefined) return `${name}: no longer a setting, remove it; ${now}`;
      return `${name}: unknown setting; accepted: ${Object.keys(settings).join(", ")}`;
    });
}

/** Settings that are valid separately but not together. */
function conflicts(given: Settings): string[] {
  const { domain, certificate, largeBodies, warm, concurrentRuns } = given;
  const problems = consoleConflicts(given);
  if (domain !== "" && certificate === "") {
    problems.push(`certificate: missing; set the ARN of a certificate for ${domain} in us-east-1, or remove domain`);
  }
  if (certificate !== "" && domain === "") {
    problems.push("domain: missing; set the domain of the certificate, or remove certificate");
  }
  if (domain !== "" && largeBodies === "off") {
    problems.push("domain: requires the front door, but largeBodies is off; change largeBodies, or remove domain");
  }
  const { runs } = reservationsOf(concurrentRuns === "auto" ? 0 : concurrentRuns);
  if (runs > 0 && warm > runs) {
    problems.push(
      `warm: received ${warm}, but concurrentRuns ${concurrentRuns} reserves ${runs} executions of Advance, which is the ` +
        `most that can be warm; set warm to ${runs} or less, or raise concurrentRuns`,
    );
  }
  return problems;
}

/**
 * The availability zones of a VPC. Zone names map to different zones in every account, and some zones do not support
 * Lambda or CloudFront's VPC origins.
 */
export function zonesOf({ availabilityZones }: Settings): Pick<VpcProps, "availabilityZones" | "maxAzs"> {
  return availabilityZones.length > 0 ? { availabilityZones } : { maxAzs: 2 };
}
