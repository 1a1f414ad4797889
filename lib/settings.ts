import type { Node } from "constructs";
import type { VpcProps } from "aws-cdk-lib/aws-ec2";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { type LargeBodyHome, largeBodyHomes } from "./front-door/hosting.ts";

/** What a deployment may choose, in `cdk.json` under `context` or with `cdk deploy --context name=value`. */
export interface Settings {
  /** Which copy of the service in one account and region; part of the stack's name. */
  stage: string;
  /** What `cdk destroy` does with the table and the bucket. `destroy` loses every run. */
  removal: "retain" | "destroy";
  /** Days that logs are kept: one of the periods CloudWatch Logs knows. */
  logRetentionDays: RetentionDays;
  /** Days after its creation that a run is deleted with its transcript, steps and files. */
  retentionDays: number;
  /** Requests a second that the API takes in the long run; more are answered 429 by API Gateway, in its own words. */
  requestsPerSecond: number;
  /** Requests that it takes at once before that rate counts. */
  requestBurst: number;
  /** Runs that are worked on at a time, more wait; 0: as many as the account's concurrency has room for. */
  concurrentRuns: number;
  /** Who is told of alarms; empty: nobody. */
  alarmEmail: string;
  /** Ids of the models and inference profiles on Amazon Bedrock that agents may use; the grant names these alone. */
  bedrockModels: string[];
  /** What takes the creates that are too large for API Gateway and Lambda's events: see `front-door.ts`. */
  largeBodies: LargeBodyHome | "off";
  /** A name of one's own for the front door, in place of CloudFront's; empty: none. */
  domain: string;
  /** ARN of the certificate for `domain`, where CloudFront reads certificates: in us-east-1. Both are set or none. */
  certificate: string;
  /** Raised by one, and deployed, it gives the origin of large bodies a new secret; the one before stays accepted. */
  originSecretGeneration: number;
  /** Names of the two zones for the networks of the sandbox and of `fargate`; none: the region's first two. */
  availabilityZones: string[];
  /** Whether agents can run programs: their sandbox takes a VPC of its own, of which a region has five by default. */
  sandbox: "on" | "off";
  /** Whether MCP servers, and pages where the agent file says so, may be outside of the public internet. */
  privateAddresses: "refused" | "allowed";
  /** Base URL of an OpenTelemetry collector that takes traces over HTTP without a key; empty: runs are not traced. */
  otlpEndpoint: string;
}

interface Setting<T> {
  fallback: T;
  accepted: string;
  /** The value, or undefined for one that is not accepted. Values from the command line are strings. */
  read: (value: unknown) => T | undefined;
}

const retentions = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === "number" && days !== RetentionDays.INFINITE,
);

const largeBodies: Settings["largeBodies"][] = [...(Object.keys(largeBodyHomes) as LargeBodyHome[]), "off"];

const settings: { [Name in keyof Settings]: Setting<Settings[Name]> } = {
  stage: {
    fallback: "prod",
    accepted: "1 to 20 lower-case letters, digits and hyphens, beginning with a letter",
    read: (value) => (typeof value === "string" && /^[a-z][a-z0-9-]{0,19}$/.test(value) ? value : undefined),
  },
  removal: oneOf("retain", "destroy"),
  logRetentionDays: {
    fallback: RetentionDays.ONE_MONTH,
    accepted: retentions.join(", "),
    read: (value) => retentions.find((days) => String(days) === String(value)),
  },
  retentionDays: wholeNumber(90, 1, 3_650),
  requestsPerSecond: wholeNumber(500, 1, 10_000), // API Gateway's own limit for an account and region: 10,000
  requestBurst: wholeNumber(1_000, 1, 5_000), // likewise 5,000
  concurrentRuns: wholeNumber(0, 0, 100_000),
  alarmEmail: {
    fallback: "",
    accepted: "an e-mail address, or an empty text for none",
    read: (value) => (/^([^\s@]+@[^\s@]+\.[^\s@]+)?$/.test(String(value)) ? String(value) : undefined),
  },
  bedrockModels: {
    fallback: [],
    accepted: "ids of models or inference profiles, separated by commas, as anthropic.claude-sonnet-4-5-20250929-v1:0",
    read(value) {
      const ids = (Array.isArray(value) ? value.map(String) : String(value).split(",")).map((id) => id.trim());
      const given = ids.filter((id) => id !== "");
      return given.every((id) => /^[a-z0-9][a-z0-9.:-]{2,150}$/.test(id)) ? given : undefined;
    },
  },
  largeBodies: {
    fallback: "web-function",
    accepted: largeBodies.join(", "),
    read: (value) => largeBodies.find((home) => home === value),
  },
  domain: {
    fallback: "",
    accepted: "a domain name in lower case with at least one dot, as api.example.com, or an empty text for none",
    read: (value) =>
      /^((?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])?$/.test(String(value))
        ? String(value)
        : undefined,
  },
  certificate: {
    fallback: "",
    accepted:
      "the ARN of a certificate of AWS Certificate Manager in us-east-1, as " +
      "arn:aws:acm:us-east-1:111122223333:certificate/…, or an empty text for none",
    read: (value) =>
      /^(arn:aws:acm:us-east-1:\d{12}:certificate\/[A-Za-z0-9-]{1,64})?$/.test(String(value))
        ? String(value)
        : undefined,
  },
  originSecretGeneration: wholeNumber(1, 1, 999_999_999),
  availabilityZones: {
    fallback: [],
    accepted: "two names separated by a comma, as us-east-1c,us-east-1d, or an empty text for the region's first two",
    read(value) {
      const names = String(value).split(",");
      if (String(value) === "") return [];
      return names.length === 2 && names.every((name) => /^[a-z]{2}(-[a-z]+)+-\d[a-z]$/.test(name)) ? names : undefined;
    },
  },
  sandbox: oneOf("on", "off"),
  privateAddresses: oneOf("refused", "allowed"),
  otlpEndpoint: {
    fallback: "",
    accepted:
      "the http or https base URL of a collector, as https://collector.example.com:4318, without user, password and " +
      "query, or an empty text for none",
    read: (value) => (value === "" || isPlainUrl(String(value)) ? String(value) : undefined),
  },
};

/** Whoever may look at a function may read its environment, so there must be no secret in it. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[@?#\s]/.test(text);
}

/** The first is the default. */
function oneOf<Choice extends string>(...choices: [Choice, ...Choice[]]): Setting<Choice> {
  return {
    fallback: choices[0],
    accepted: choices.join(" or "),
    read: (value) => choices.find((choice) => choice === value),
  };
}

function wholeNumber(fallback: number, min: number, max: number): Setting<number> {
  return {
    fallback,
    accepted: `a whole number from ${min} to ${max}`,
    read: (value) =>
      /^\d{1,9}$/.test(String(value)) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  };
}

/** Reads the settings from the context. Throws an Error that names every setting that is unknown or not accepted. */
export function readSettings(node: Node): Settings {
  const problems: string[] = [];
  const context = node.getAllContext() as Record<string, unknown>;

  // What CDK and its libraries put there is prefixed; anything else is meant for us, or a typing error.
  for (const name of Object.keys(context)) {
    if (/[@:]/.test(name) || name in settings) continue;
    problems.push(`${name}: no such setting; there are ${Object.keys(settings).join(", ")}`);
  }
  function setting<Name extends keyof Settings>(name: Name): Settings[Name] {
    const { fallback, accepted, read }: Setting<Settings[Name]> = settings[name];
    const value = context[name];
    if (value === undefined) return fallback;
    const usable = read(value);
    if (usable === undefined) problems.push(`${name}: received ${JSON.stringify(value)}; accepted: ${accepted}`);
    return usable ?? fallback;
  }
  const result: Settings = {
    stage: setting("stage"),
    removal: setting("removal"),
    logRetentionDays: setting("logRetentionDays"),
    retentionDays: setting("retentionDays"),
    requestsPerSecond: setting("requestsPerSecond"),
    requestBurst: setting("requestBurst"),
    concurrentRuns: setting("concurrentRuns"),
    alarmEmail: setting("alarmEmail"),
    bedrockModels: setting("bedrockModels"),
    largeBodies: setting("largeBodies"),
    domain: setting("domain"),
    certificate: setting("certificate"),
    originSecretGeneration: setting("originSecretGeneration"),
    availabilityZones: setting("availabilityZones"),
    sandbox: setting("sandbox"),
    privateAddresses: setting("privateAddresses"),
    otlpEndpoint: setting("otlpEndpoint"),
  };
  if (problems.length === 0) problems.push(...conflicts(result));
  if (problems.length > 0) {
    throw new Error(`Change the settings (cdk.json, "context", or --context name=value):\n  ${problems.join("\n  ")}`);
  }
  return result;
}

/** The two zones of a network. Their names mean other zones in every account, and some lack what is to be in them. */
export function zonesOf({ availabilityZones }: Settings): Pick<VpcProps, "availabilityZones" | "maxAzs"> {
  return availabilityZones.length > 0 ? { availabilityZones } : { maxAzs: 2 };
}

/** Settings that are accepted one by one, but not together. */
function conflicts({ domain, certificate, largeBodies: home }: Settings): string[] {
  const problems: string[] = [];
  if (domain !== "" && certificate === "") {
    problems.push(`certificate: missing; ${domain} needs a certificate for that name in us-east-1, or no domain`);
  }
  if (certificate !== "" && domain === "") {
    problems.push("domain: missing; a certificate is set, but no domain to use it for");
  }
  if (domain !== "" && home === "off") {
    problems.push("domain: needs the front door, and largeBodies is off; choose another largeBodies or remove domain");
  }
  return problems;
}
