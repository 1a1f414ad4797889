import { Annotations, App, Validations } from "aws-cdk-lib";
import recommendedFlags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import { AwsSolutionsChecks } from "cdk-nag";
import { FrontDoorStack } from "./front-door/stack.ts";
import { warningWithoutFrontDoor } from "./front-door/limits.ts";
import { ServiceStack } from "./service-stack.ts";
import { readSettings } from "./settings.ts";

interface ServiceApp {
  app: App;
  stack: ServiceStack;
  /** Absent with `largeBodies` `off`. */
  frontDoor?: FrontDoorStack;
}

/**
 * The CDK app: the service stack and its front door. cdk-nag checks both at synthesis.
 * `context` overrides the settings in `cdk.json`. All recommended CDK feature flags are on; the CDK version is pinned.
 */
export function serviceApp(context: Record<string, unknown> = {}): ServiceApp {
  const app = new App({ context: { ...recommendedFlags, ...context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const settings = readSettings(app.node);
  const stack = new ServiceStack(app, settings);
  if (settings.largeBodies !== "off") {
    return { app, stack, frontDoor: new FrontDoorStack(app, stack, settings.largeBodies, settings) };
  }
  Annotations.of(stack).addWarningV2("agent-run-service:large-bodies-off", warningWithoutFrontDoor);
  return { app, stack };
}
