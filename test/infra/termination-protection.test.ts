import { expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";
import { firstDeploymentKey } from "../../lib/termination-protection.ts";

/** Whether service and front door are protected from deletion. */
function areProtected(context: Record<string, unknown> = {}): (boolean | undefined)[] {
  const { stack, frontDoor } = serviceApp({ ...cdkJson.context, "aws:cdk:bundling-stacks": [], ...context });
  return [stack.terminationProtection, frontDoor?.terminationProtection];
}

test("both stacks are protected from deletion, unless removal is destroy", () => {
  expect(areProtected()).toEqual([true, true]);
  expect(areProtected({ removal: "destroy" })).toEqual([false, false]);
});

test("a stack that is deployed for the first time is not protected", () => {
  expect(areProtected({ [firstDeploymentKey]: "AgentRunFrontDoor-prod" })).toEqual([true, false]);
  const both = "AgentRunService-prod,AgentRunFrontDoor-prod";
  expect(areProtected({ [firstDeploymentKey]: both })).toEqual([false, false]);
});
