import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";
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
