import { App, Validations } from "aws-cdk-lib";
import recommendedFlags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import { AwsSolutionsChecks } from "cdk-nag";
import { ServiceStack } from "./service-stack.ts";
import { readSettings } from "./settings.ts";

/**
 * The CDK app: the service stack as the context's settings have it, checked against AWS's advice at synthesis.
 * `context`: settings over those of `cdk.json`. All of CDK's corrections to itself are on; the version is pinned.
 */
export function serviceApp(context: Record<string, unknown> = {}): { app: App; stack: ServiceStack } {
  const app = new App({ context: { ...recommendedFlags, ...context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack: new ServiceStack(app, readSettings(app.node)) };
}
