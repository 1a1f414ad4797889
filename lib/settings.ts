import type { Node } from "constructs";
import type { VpcProps } from "aws-cdk-lib/aws-ec2";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { parseOrigin } from "../src/http/origin.ts";
import { programSeconds } from "../src/sandbox/linux/limits.ts";
import { reservationsOf } from "./concurrency.ts";
import { consoleConflicts, consoleSettings } from "./console/settings.ts";
import type { UploadHosting } from "./front-door/hosting.ts";
import type { AgentRunServiceProps } from "./service-props.ts";
import { type Environments, parseEnvironments } from "./environments.ts";
import { autoOr, list, listOf, oneOf, pattern, type Setting, setting, wholeNumber } from "./setting.ts";

const retentions = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === "number" && days !== RetentionDays.INFINITE,
);

/**
 * The settings of a deployment: in `cdk.json` under `context`, or `cdk deploy --context name=value`.
 * docs/deploying.md describes them for operators.
 */
const settings = {
  /** Deployment name. Part of the stack names, so that several deployments can share an account and region. */
  stage: pattern(
    "prod",
    /^[a-z][a-z0-9-]{0,19}$/,
    "1 to 20 lower-case letters, digits and hyphens, starting with a letter",
  ),
  /** What `cdk destroy` does with the table and the bucket. `destroy` deletes all runs. */
  removal: oneOf("retain", "destroy"),
  /** Days that CloudWatch keeps logs. */
  logRetentionDays: setting<RetentionDays>(RetentionDays.ONE_MONTH, retentions.join(", "), (value) =>
    retentions.find((days) => String(days) === String(value)),
  ),
  /** Days after its creation that a run is deleted, with its transcript, steps and files. */
  retentionDays: wholeNumber(90, 1, 3_650),
  /** Size of the largest file in MB (1,048,576 bytes) that clients of `/ext/v1` can upload. */
  maxUploadMegabytes: wholeNumber(100, 1, 200),
  /** Origins of pages that may use `/ext/v1`. */
  corsOrigins: listOf("origins separated by commas, such as https://app.example.com", parseOrigin),
  /**
   * Sustained request rate of the API. API Gateway answers more requests with 429. Its quota per account: 10,000. `auto`: what
   * `npm run deploy` computes from the account's quota of concurrent executions, and 500 without it.
   */
  requestsPerSecond: autoOr(1, 10_000),
  /**
   * Maximum number of runs advanced at the same time (reserved concurrency); further runs queue. 0: no limit. `auto`: what
   * `npm run deploy` computes from the account's quota (`concurrency.ts`), and 0 without it.
   */
  concurrentRuns: autoOr(0, 100_000),
  /**
   * Environments of each of `Create`, `Get` and `Advance` that have started before a request comes. They are called by an alias,
   * which can go back to an earlier version. 0: none, and no alias.
   */
  warm: wholeNumber(0, 0, 100),
  /** Email address for alarm notifications. Empty: none. */
  alarmEmail: pattern("", /^([^\s@]+@[^\s@]+\.[^\s@]+)?$/, "an email address, or an empty string for none"),
  /** Monthly AWS cost in US dollars of the account that sends an email to `alarmEmail`. 0: none. */
  monthlyBudget: wholeNumber(0, 0, 10_000_000),
  /** Ids of the Amazon Bedrock models and inference profiles that agents can use. */
  bedrockModels: list(
    "model or inference profile ids separated by commas, such as anthropic.claude-sonnet-4-5-20250929-v1:0",
    /^[a-z0-9][a-z0-9.:-]{2,150}$/,
  ),
  /** Hosting of the upload server, which handles creates over 1 MB. `off`: no front door. */
  largeBodies: oneOf<UploadHosting | "off">("web-function", "fargate", "off"),
  /**
   * How clients of `/ext/v1` get the events of a run through the front door. `open`: streams that stay open, from the upload
   * server's code. `polled`: as without a front door, in short responses from API Gateway.
   */
  eventStreams: oneOf("open", "polled"),
  /** Custom domain for the front door. Empty: CloudFront's own domain. */
  domain: pattern(
    "",
    /^((?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])?$/,
    "a lower-case domain name with at least one dot, such as api.example.com, or an empty string for none",
  ),
  /** ARN of the certificate for `domain`. CloudFront reads certificates from us-east-1 only. */
  certificate: pattern(
    "",
    /^(arn:aws:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]{1,64})?$/,
    "the ARN of an AWS Certificate Manager certificate in us-east-1, such as " +
      "arn:aws:acm:us-east-1:111122223333:certificate/…, or an empty string for none",
  ),
  /** Increase by one and deploy to rotate the upload server's secret. The previous secret stays valid. */
  originSecretGeneration: wholeNumber(1, 1, 999_999_999),
  /** The two availability zones for the VPCs of the sandbox and of `fargate`. Empty: the region's first two. */
  availabilityZones: setting<string[]>(
    [],
    "two zone names separated by a comma, such as us-east-1c,us-east-1d, or an empty string for the region's first two",
    (value) => {
      const names = String(value).split(",");
      if (String(value) === "") return [];
      return names.length === 2 && names.every((name) => /^[a-z]{2}(-[a-z]+)+-\d[a-z]$/.test(name)) ? names : undefined;
    },
  ),
  /**
   * What agents can run. `linux`: programs in `environments`, and JavaScript. `javascript`: JavaScript, and Python without
   * libraries. The sandbox uses one VPC; a region has five by default.
   */
  sandbox: oneOf("linux", "javascript", "off"),
  /** Seconds that a program in a Linux environment may take unless the model sets another limit. */
  programSeconds: wholeNumber(programSeconds.defaultSeconds, 1, programSeconds.maxSeconds),
  /** Processor of the Linux environments. The deploying machine builds their images for it. */
  sandboxArchitecture: oneOf("arm64", "x86_64"),
  /** Whether the functions of the sandbox have tenant isolation. */
  sandboxTenancy: oneOf("on", "off"),
  /** Linux environments by name: a folder with a Dockerfile, or an image in Amazon ECR by its digest. */
  environments: setting<Environments>(
    { linux: "environment" },
    "NAME=FOLDER or NAME=IMAGE@sha256:…, separated by commas, or an object, such as linux=environment,data=images/data; " +
      "the environment linux is required",
    parseEnvironments,
  ),
  /** Id of AWS's prefix list of S3. Empty: `npm run deploy` looks it up. */
  s3PrefixList: pattern(
    "",
    /^(pl-[0-9a-f]{8,17})?$/,
    "the id of a prefix list, such as pl-63a5400a, or an empty string",
  ),
  /** Whether MCP servers, and web pages where the agent file allows it, may have private IP addresses. */
  privateAddresses: oneOf("refused", "allowed"),
  /** Base URL of an OpenTelemetry collector (OTLP over HTTP, without authentication). Empty: runs are not traced. */
  otlpEndpoint: setting<string>(
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

/** CDK and its libraries prefix their other context keys. Any other unknown name is a typing error. */
function unknownNames(context: Record<string, unknown>): string[] {
  return Object.keys(context)
    .filter((name) => !/[@:]/.test(name) && !cliKeys.has(name) && !(name in settings))
    .map((name) => `${name}: unknown setting; accepted: ${Object.keys(settings).join(", ")}`);
}

/** Settings that are valid separately but not together. */
function conflicts(given: Settings): string[] {
  const { domain, certificate, largeBodies, monthlyBudget, alarmEmail, warm, concurrentRuns } = given;
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
  if (monthlyBudget > 0 && alarmEmail === "") {
    problems.push("alarmEmail: missing; set the address that monthlyBudget notifies, or remove monthlyBudget");
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
