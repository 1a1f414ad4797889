import { App } from "aws-cdk-lib";
import { expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { readSettings } from "../../lib/settings.ts";

const read = (context: Record<string, unknown>) => readSettings(new App({ context }).node);

test("cdk.json holds the settings' defaults", () => {
  expect(read(cdkJson.context)).toEqual({
    stage: "prod",
    removal: "retain",
    logRetentionDays: 30,
    retentionDays: 90,
    requestsPerSecond: 500,
    requestBurst: 1_000,
    concurrentRuns: 0,
    alarmEmail: "",
    bedrockModels: [],
    largeBodies: "web-function",
    domain: "",
    certificate: "",
    originSecretGeneration: 1,
    availabilityZones: [],
    sandbox: "on",
    privateAddresses: "refused",
    otlpEndpoint: "",
  });
  expect(read({})).toEqual(read(cdkJson.context));
});

test("the command line's strings are as good as numbers", () => {
  const context = { stage: "dev-2", removal: "destroy", logRetentionDays: "7", originSecretGeneration: "2" };
  expect(read(context)).toMatchObject({ ...context, logRetentionDays: 7, originSecretGeneration: 2 });
});

test.each([
  [{ stage: "Prod" }, /stage: received "Prod"; accepted: 1 to 20 lower-case letters/],
  [{ removal: "keep" }, /removal: received "keep"; accepted: retain or destroy/],
  [{ logRetentionDays: 31 }, /logRetentionDays: received 31; accepted: 1, 3, 5, 7, .*, 3653$/m],
  [{ logRetentionDays: 9999 }, /logRetentionDays: received 9999/],
  [{ largeBodies: "on" }, /largeBodies: received "on"; accepted: web-function, fargate, off/],
  [{ retentionDays: 0 }, /retentionDays: received 0; accepted: a whole number from 1 to 3650/],
  [{ requestsPerSecond: 1.5 }, /requestsPerSecond: received 1.5; accepted: a whole number from 1 to 10000/],
  [{ requestBurst: "many" }, /requestBurst: received "many"/],
  [{ concurrentRuns: -1 }, /concurrentRuns: received -1; accepted: a whole number from 0 to 100000/],
  [{ alarmEmail: "ops" }, /alarmEmail: received "ops"; accepted: an e-mail address/],
  [{ bedrockModels: "a model" }, /bedrockModels: received "a model"; accepted: ids of models/],
  [{ bedrockModels: "*" }, /bedrockModels: received "\*"/],
  [{ originSecretGeneration: 0 }, /originSecretGeneration: received 0; accepted: a whole number from 1 to 999999999/],
  [{ originSecretGeneration: 1.5 }, /originSecretGeneration: received 1.5/],
  [{ availabilityZones: "us-east-1c" }, /availabilityZones: received "us-east-1c"; accepted: two names/],
  [{ availabilityZones: "use1-az1,use1-az2" }, /availabilityZones: received "use1-az1,use1-az2"/],
  [{ sandbox: true }, /sandbox: received true; accepted: on or off/],
  [{ privateAddresses: "yes" }, /privateAddresses: received "yes"; accepted: refused or allowed/],
  [{ otlpEndpoint: "collector:4318" }, /otlpEndpoint: received "collector:4318"; accepted: the http or https base URL/],
  [{ otlpEndpoint: "https://user:key@collector.example.com" }, /otlpEndpoint: received .*; accepted: .* without user/],
  [{ stages: "dev" }, /stages: no such setting; there are stage, removal, logRetentionDays/],
])("%j is refused, and the error says what is accepted", (context, message) => {
  expect(() => read(context)).toThrow(message);
});

test("an OpenTelemetry collector is named by its base URL", () => {
  for (const otlpEndpoint of ["https://collector.example.com", "http://10.0.0.7:4318/otlp"]) {
    expect(read({ otlpEndpoint })).toMatchObject({ otlpEndpoint });
  }
});

const domain = "runs.example.com";
const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/0d2f7c1e-93c6-4a6e-9a39-f4c1b0a5f001";

test("a domain comes with its certificate, for a front door", () => {
  expect(read({ domain, certificate })).toMatchObject({ domain, certificate });
});

test.each([
  [{ domain: "https://x.example.com" }, /domain: received "https.*"; accepted: a domain name in lower case/],
  [{ domain: "example" }, /domain: received "example"/],
  [
    { certificate: certificate.replace("us-east-1", "eu-central-1") },
    /certificate: received .*; accepted: .* us-east-1/,
  ],
  [{ certificate: "0d2f7c1e" }, /certificate: received "0d2f7c1e"/],
  [{ domain }, /certificate: missing; runs.example.com needs a certificate/],
  [{ certificate }, /domain: missing; a certificate is set/],
  [{ domain, certificate, largeBodies: "off" }, /domain: needs the front door, and largeBodies is off/],
])("%j is refused before anything is made", (context, message) => {
  expect(() => read(context)).toThrow(message);
});

test("all that is wrong is said at once", () => {
  expect(() => read({ stage: "", removal: true })).toThrow(/stage: .*\n.*removal: /);
});
