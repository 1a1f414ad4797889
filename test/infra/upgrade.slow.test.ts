import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkOut, formerRelease } from "../../scripts/check-out.ts";

// An update of the former release's stacks, by `cdk diff`, which has AWS's list of the properties whose change replaces a resource.

const root = fileURLToPath(new URL("../..", import.meta.url));
const stacks = ["AgentRunService-prod", "AgentRunFrontDoor-prod", "AgentRunConsole-prod"];

/**
 * Types whose resources hold nothing and whose names nobody has: their replacement or removal loses nothing. All others hold data,
 * messages or log entries, are attached to operators by hand (managed policies), or are an address.
 */
const stateless = [
  "AWS::ApiGatewayV2::(Authorizer|Integration|Route|Stage)",
  "AWS::CloudFront::(CachePolicy|Function|OriginRequestPolicy|VpcOrigin)",
  "AWS::CloudWatch::",
  "AWS::Cognito::(ManagedLoginBranding|UserPoolClient)",
  "AWS::EC2::",
  "AWS::ECS::",
  "AWS::ElasticLoadBalancingV2::",
  "AWS::Events::",
  "AWS::IAM::(Policy|Role)$",
  "AWS::Lambda::",
  "AWS::Logs::MetricFilter",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::QueuePolicy",
  "AWS::SSM::Parameter",
  "Custom::S3ObjectCopy",
];

type Template = { Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }> };

const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
const { version, commit } = formerRelease();
let release: ReturnType<typeof checkOut>;
beforeAll(() => {
  release = checkOut(commit);
  synthesize(release.folder, "former");
  synthesize(root, "present");
});
afterAll(() => release[Symbol.dispose]());

/** Writes the stacks of a version with its own settings to the folder `name`, as `cdk synth` does, but without code. */
function synthesize(sources: string, name: string): void {
  const { context } = JSON.parse(readFileSync(join(sources, "cdk.json"), "utf8")) as { context: object };
  const settings = { ...context, console: "cognito", "aws:cdk:bundling-stacks": [] };
  const env = { CDK_OUTDIR: join(folder, name), CDK_CONTEXT_JSON: JSON.stringify(settings), CDK_VALIDATION: "false" };
  run(["bin/app.ts"], sources, env);
}

function run(args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const options = { cwd, env: { ...process.env, ...env }, encoding: "utf8", maxBuffer: 64 * 2 ** 20 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr.slice(-2_000)}`);
  return stdout + stderr;
}

const templateOf = (name: string, stack: string): string => join(folder, name, `${stack}.template.json`);

function readTemplate(name: string, stack: string): Template {
  return JSON.parse(readFileSync(templateOf(name, stack), "utf8")) as Template;
}

/** What an update from the template in `file` would replace or remove of other types, as `cdk diff` prints it. */
function lost(stack: string, file: string): string[] {
  const args = ["diff", "--exclusively", "--no-color", "--app", join(folder, "present"), "--template", file, stack];
  const changes = run([join(root, "node_modules/aws-cdk/bin/cdk"), ...args], root)
    .split("\n")
    .filter((line) => /^\[[-+~]\] /.test(line));
  expect(changes.length).toBeGreaterThan(0); // a Lambda function changes with each version
  const harmful = changes.filter((line) => /^\[-\]|( replace| may be replaced| destroy| orphan)$/.test(line));
  const harmless = new RegExp(`^(${stateless.join("|")})`);
  return harmful.filter((line) => !harmless.test(line.split(" ")[1] ?? ""));
}

describe(`an update from ${version}`, () => {
  test.each(stacks)("replaces and removes nothing of %s that holds data or has an address", (stack) => {
    expect(lost(stack, templateOf("former", stack))).toEqual([]);
  });

  test("would be reported if it replaced a table or a policy, or lost the bucket by another logical id", () => {
    const [stack = ""] = stacks;
    const former = readTemplate("former", stack);
    const idOf = (type: string): string =>
      Object.entries(former.Resources).find(([, resource]) => resource.Type === type)?.[0] ?? "";
    const table = idOf("AWS::DynamoDB::GlobalTable");
    const bucket = idOf("AWS::S3::Bucket");
    const policy = idOf("AWS::IAM::ManagedPolicy");
    const { [bucket]: moved, ...Resources } = former.Resources;
    Object.assign(Resources[table]?.Properties ?? {}, { TableName: "named" });
    Object.assign(Resources[policy]?.Properties ?? {}, { Description: "Another one" });
    const file = join(folder, "changed.json");
    writeFileSync(file, JSON.stringify({ ...former, Resources: { ...Resources, Elsewhere: moved } }));
    expect(lost(stack, file).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "[-] AWS::S3::Bucket",
      "[~] AWS::DynamoDB::GlobalTable",
      "[~] AWS::IAM::ManagedPolicy",
    ]);
  });
});
