import { App } from "aws-cdk-lib";
import { expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { readSettings } from "../../lib/settings.ts";

const read = (context: Record<string, unknown>) => readSettings(new App({ context }).node);

test("cdk.json contains the defaults", () => {
  expect(read(cdkJson.context)).toEqual({
    stage: "prod",
    removal: "retain",
    retentionDays: 90,
    requestsPerSecond: "auto",
    concurrentRuns: "auto",
    warm: 0,
    alarmEmail: "",
    bedrockModels: [],
    corsOrigins: [],
    largeBodies: "web-function",
    domain: "",
    certificate: "",
    originSecretGeneration: 1,
    availabilityZones: [],
    sandbox: "linux",
    sandboxArchitecture: "arm64",
    sandboxTenancy: "on",
    environments: { linux: "environment" },
    s3PrefixList: "",
    privateAddresses: "refused",
    otlpEndpoint: "",
    console: "off",
    consoleIssuer: "",
    consoleClientId: "",
    consoleScope: "openid profile email",
    consoleRoleClaim: "groups",
    consoleOperators: [],
    consoleViewers: [],
  });
  expect(read({})).toEqual(read(cdkJson.context));
});

test("accepts the context keys that the CDK CLI writes", () => {
  const written = { "cli-telemetry": false, "acknowledged-issue-numbers": [12_345] };
  expect(read(written)).toEqual(read({}));
});

test("accepts numbers as strings, as the command line passes them", () => {
  const context = { stage: "dev-2", removal: "destroy", retentionDays: "7", originSecretGeneration: "2" };
  expect(read(context)).toMatchObject({ ...context, retentionDays: 7, originSecretGeneration: 2 });
});

test.each([
  [{ stage: "Prod" }, /stage: received "Prod"; accepted: 1 to 20 lower-case letters/],
  [{ removal: "keep" }, /removal: received "keep"; accepted: retain or destroy/],
  [{ largeBodies: "on" }, /largeBodies: received "on"; accepted: web-function or fargate or off/],
  [{ retentionDays: 0 }, /retentionDays: received 0; accepted: a whole number from 1 to 3650/],
  [{ requestsPerSecond: 1.5 }, /requestsPerSecond: received 1.5; accepted: auto or a whole number from 1 to 10000/],
  [{ concurrentRuns: -1 }, /concurrentRuns: received -1; accepted: auto or a whole number from 0 to 100000/],
  [{ warm: "off" }, /warm: received "off"; accepted: a whole number from 0 to 100$/m],
  [{ warm: 10, concurrentRuns: 10 }, /warm: received 10, but concurrentRuns 10 reserves 9 executions of Advance/],
  [{ alarmEmail: "ops" }, /alarmEmail: received "ops"; accepted: an email address/],
  [{ bedrockModels: "a model" }, /bedrockModels: received "a model"; accepted: model or inference profile ids/],
  [{ bedrockModels: "*" }, /bedrockModels: received "\*"/],
  [
    { corsOrigins: "app.example.com" },
    /corsOrigins: received "app.example.com"; accepted: origins separated by commas/,
  ],
  [{ corsOrigins: "https://app.example.com,*" }, /corsOrigins: received "https:\/\/app.example.com,\*"/],
  [{ originSecretGeneration: 0 }, /originSecretGeneration: received 0; accepted: a whole number from 1 to 999999999/],
  [{ originSecretGeneration: 1.5 }, /originSecretGeneration: received 1.5/],
  [{ availabilityZones: "us-east-1c" }, /availabilityZones: received "us-east-1c"; accepted: two zone names/],
  [{ availabilityZones: "use1-az1,use1-az2" }, /availabilityZones: received "use1-az1,use1-az2"/],
  [{ sandbox: "on" }, /sandbox: received "on"; accepted: linux or javascript or off/],
  [{ sandboxTenancy: "agent" }, /sandboxTenancy: received "agent"; accepted: on or off/],
  [{ environments: "linux=environment,../etc=images/data" }, /environments: received .*; accepted: NAME=FOLDER/],
  [{ environments: "data=images/data" }, /environments: .*; the environment linux is required/],
  [
    { environments: { linux: "debian:trixie" } },
    /environments: received .*; accepted: NAME=FOLDER or NAME=IMAGE@sha256/,
  ],
  [{ environments: "Linux=environment" }, /environments: received "Linux=environment"/],
  [{ s3PrefixList: "com.amazonaws.us-east-1.s3" }, /s3PrefixList: received .*; accepted: the id of a prefix list/],
  [{ privateAddresses: "yes" }, /privateAddresses: received "yes"; accepted: refused or allowed/],
  [{ otlpEndpoint: "collector:4318" }, /otlpEndpoint: received "collector:4318"; accepted: the http or https base URL/],
  [{ otlpEndpoint: "https://user:key@collector.example.com" }, /otlpEndpoint: received .*; accepted: .* without user/],
  [{ fileVersions: 20 }, /fileVersions: no longer a setting, remove it; its default of 0.2.0 applies/],
  [{ programSeconds: 60 }, /programSeconds: no longer a setting, remove it; a program may take 120 seconds/],
  [{ stages: "dev" }, /stages: unknown setting; accepted: stage, removal, retentionDays/],
])("rejects %j with the accepted values", (context, message) => {
  expect(() => read(context)).toThrow(message);
});

test("accepts origins of pages, as browsers send them", () => {
  const corsOrigins = "https://app.example.com, https://APP.example.org/,http://[::1]:3000";
  expect(read({ corsOrigins })).toMatchObject({
    corsOrigins: ["https://app.example.com", "https://app.example.org", "http://[::1]:3000"],
  });
});

test("accepts environments as a text, as the command line passes them, and as an object", () => {
  const image = `111122223333.dkr.ecr.eu-central-1.amazonaws.com/data@sha256:${"0".repeat(64)}`;
  const environments = { linux: "environment", data: image };
  expect(read({ environments })).toMatchObject({ environments });
  expect(read({ environments: `linux=environment,data=${image}` })).toMatchObject({ environments });
});

test("accepts base URLs of OpenTelemetry collectors", () => {
  for (const otlpEndpoint of ["https://collector.example.com", "http://10.0.0.7:4318/otlp"]) {
    expect(read({ otlpEndpoint })).toMatchObject({ otlpEndpoint });
  }
});

const domain = "runs.example.com";
const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/0d2f7c1e-93c6-4a6e-9a39-f4c1b0a5f001";

test("accepts a domain together with its certificate", () => {
  expect(read({ domain, certificate })).toMatchObject({ domain, certificate });
});

test.each([
  [{ domain: "https://x.example.com" }, /domain: received "https.*"; accepted: a lower-case domain name/],
  [{ domain: "example" }, /domain: received "example"/],
  [
    { certificate: certificate.replace("us-east-1", "eu-central-1") },
    /certificate: received .*; accepted: .* us-east-1/,
  ],
  [{ certificate: "0d2f7c1e" }, /certificate: received "0d2f7c1e"/],
  [{ domain }, /certificate: missing; set the ARN of a certificate for runs.example.com/],
  [{ certificate }, /domain: missing; set the domain of the certificate/],
  [{ domain, certificate, largeBodies: "off" }, /domain: requires the front door, but largeBodies is off/],
])("rejects %j before anything is deployed", (context, message) => {
  expect(() => read(context)).toThrow(message);
});

const oidc = {
  console: "oidc",
  consoleIssuer: "https://login.example.com/tenant/",
  consoleClientId: "agent-runs",
  consoleOperators: "platform, on-call",
};

test("accepts a console with an OpenID Connect provider", () => {
  const operators = ["CN=Operators,OU=Groups"];
  expect(read(oidc)).toMatchObject({ ...oidc, consoleOperators: ["platform", "on-call"] });
  expect(read({ ...oidc, consoleRoleClaim: "email", consoleOperators: operators })).toMatchObject({
    consoleOperators: operators,
  });
});

test.each([
  [{ console: "on" }, /console: received "on"; accepted: off or cognito or oidc/],
  [{ ...oidc, consoleIssuer: "http://login.example.com" }, /consoleIssuer: received .*; accepted: the https URL/],
  [{ ...oidc, consoleIssuer: "https://login.example.com?a=b" }, /consoleIssuer: received/],
  [{ ...oidc, consoleClientId: "my client" }, /consoleClientId: received "my client"; accepted: a client id without/],
  [
    { ...oidc, consoleScope: "profile" },
    /consoleScope: received "profile"; accepted: scopes separated by single spaces/,
  ],
  [{ ...oidc, consoleRoleClaim: "my groups" }, /consoleRoleClaim: received "my groups"; accepted: the name of a claim/],
  [{ console: "oidc" }, /consoleIssuer: missing.*\n.*consoleClientId: missing.*\n.*consoleOperators: missing; set the/],
  [{ ...oidc, consoleViewers: "on-call" }, /consoleViewers: on-call is in consoleOperators, too/],
  [{ ...oidc, console: "cognito" }, /consoleIssuer: requires console oidc, but console is cognito/],
  [{ consoleOperators: "a" }, /consoleOperators: requires console oidc, but console is off/],
])("rejects %j before anything is deployed", (context, message) => {
  expect(() => read(context)).toThrow(message);
});

test("reports all invalid settings at once", () => {
  expect(() => read({ stage: "", removal: true })).toThrow(/stage: .*\n.*removal: /);
});
