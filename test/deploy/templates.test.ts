import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, beforeAll, expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";
import { install, programs } from "./ministack.ts";
import { run } from "./processes.ts";

// cfn-lint has AWS's schemas of resource types, and which region has which type. It needs no emulator, but Python, as this tier does.

const regions = ["us-east-1", "eu-central-1", "ap-southeast-2", "sa-east-1"];
/** A dependency that a reference implies, too: CDK writes both. */
const redundantDependency = "W3005";

const folder = mkdtempSync(join(tmpdir(), "templates-"));
beforeAll(install);
afterAll(() => rmSync(folder, { recursive: true }));

const image = `111122223333.dkr.ecr.us-east-1.amazonaws.com/linux@sha256:${"a".repeat(64)}`;

test.each([
  ["the defaults, with a web application", { console: "cognito" }],
  [
    "Fargate, warm functions and a Linux environment",
    { largeBodies: "fargate", warm: 1, environments: `linux=${image}` },
  ],
  ["no front door, and no sandbox", { largeBodies: "off", sandbox: "off", alarmEmail: "ops@example.com" }],
])("cfn-lint accepts the templates in four regions: %s", async (name, context) => {
  const { stack, frontDoor, webConsole } = serviceApp({
    ...cdkJson.context,
    "aws:cdk:bundling-stacks": [],
    ...context,
  });
  const files = [stack, frontDoor, webConsole].flatMap((each) => {
    if (!each) return [];
    const file = join(folder, `${name.length}-${each.stackName}.json`);
    writeFileSync(file, JSON.stringify(Template.fromStack(each).toJSON()));
    return file;
  });
  const options = [
    "--regions",
    ...regions,
    "--ignore-checks",
    redundantDependency,
    "--non-zero-exit-code",
    "informational",
  ];
  const { status, stdout } = await run(join(programs, "cfn-lint"), [...options, "--", ...files]);
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
