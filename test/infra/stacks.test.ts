import { App, Stage } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import recommendedFlags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import { expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { ConsoleStack } from "../../lib/console/stack.ts";
import { FrontDoorStack } from "../../lib/front-door/stack.ts";
import { serviceApp } from "../../lib/service-app.ts";
import { ServiceStack } from "../../lib/service-stack.ts";
import { readSettings } from "../../lib/settings.ts";
import { synthesizeFrontDoor } from "./front-door.ts";
import { stackTable } from "./stack-table.ts";
import { synthesize } from "./synth.ts";

const context = { ...cdkJson.context, "aws:cdk:bundling-stacks": [], console: "cognito" };
const { webConsole } = serviceApp(context);
if (!webConsole) throw new Error("console is off");

const templates = {
  Service: synthesize().template,
  "Front door on a web function": synthesizeFrontDoor({ context: { largeBodies: "web-function" } }).template,
  "Front door on Fargate": synthesizeFrontDoor({ context: { largeBodies: "fargate" } }).template,
  Console: Template.fromStack(webConsole),
};

test("resources and permissions are those of stacks.txt", async () => {
  const tables = Object.entries(templates).map(([name, template]) => stackTable(name, template));
  await expect(tables.join("\n")).toMatchFileSnapshot("stacks.txt"); // vitest -u writes it
});

test("in a Stage of an app, the stacks are named as they are alone, and so is all that they name", () => {
  const app = new App({ context: { ...recommendedFlags, ...context } });
  const settings = readSettings(app.node);
  const synthesized = ["111122223333", "444455556666"].map((account) => {
    const stage = new Stage(app, `In-${account}`, { env: { account, region: "eu-central-1" } });
    const service = new ServiceStack(stage, settings);
    const frontDoor = new FrontDoorStack(stage, service, "fargate", settings);
    const stacks = [service, frontDoor, new ConsoleStack(stage, service, frontDoor, settings)];
    return stacks.map((stack) => ({ name: stack.stackName, template: JSON.stringify(Template.fromStack(stack)) }));
  });
  const names = ["AgentRunService-prod", "AgentRunFrontDoor-prod", "AgentRunConsole-prod"];
  for (const stacks of synthesized) {
    expect(stacks.map(({ name }) => name)).toEqual(names);
    // Only tags of the parts of VPCs, and descriptions of security groups, have the whole path.
    const named = stacks.flatMap(
      ({ template }) => template.match(/[^"]*In-\d{12}(?!\/AgentRun\w+-prod\/[\w/]*(Vpc|Group"))[^"]*/g) ?? [],
    );
    expect(named).toEqual([]);
    expect(stacks[0]?.template.includes('"/aws/vendedlogs/states/AgentRunService-prod"')).toBe(true);
  }
});
