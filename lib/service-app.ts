import { rmSync } from "node:fs";
import { Annotations, App, type Stack, Validations } from "aws-cdk-lib";
import type { CloudFormationStackArtifact } from "aws-cdk-lib/cx-api";
import recommendedFlags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import { AwsSolutionsChecks } from "cdk-nag";
import { ConsoleStack } from "./console/stack.ts";
import { FrontDoorStack } from "./front-door/stack.ts";
import { warningWithoutFrontDoor } from "./front-door/limits.ts";
import { ServiceStack } from "./service-stack.ts";
import type { Resources } from "./idle-cost.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Id of the warning about a deployment without front door. */
const withoutFrontDoor = "agent-run-service:large-bodies-off";

interface ServiceApp {
  app: App;
  settings: Settings;
  stack: ServiceStack;
  /** Absent with `largeBodies` `off`. */
  frontDoor?: FrontDoorStack;
  /** Absent with `console` `off`. */
  webConsole?: ConsoleStack;
}

/**
 * The CDK app: the service stack, its front door and its web application. cdk-nag checks all at synthesis.
 * `context` overrides the settings in `cdk.json`. All recommended CDK feature flags are on; the CDK version is pinned.
 */
export function serviceApp(context: Record<string, unknown> = {}): ServiceApp {
  const app = new App({ context: { ...recommendedFlags, ...context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const settings = readSettings(app.node);
  const stack = new ServiceStack(app, settings);
  const { largeBodies } = settings;
  const frontDoor = largeBodies === "off" ? undefined : new FrontDoorStack(app, stack, largeBodies, settings);
  if (!frontDoor) Annotations.of(stack).addWarningV2(withoutFrontDoor, warningWithoutFrontDoor);
  const webConsole = settings.console === "off" ? undefined : new ConsoleStack(app, stack, frontDoor, settings);
  return { app, settings, stack, ...(frontDoor && { frontDoor }), ...(webConsole && { webConsole }) };
}

export interface SynthesizedStack {
  name: string;
  resources: Resources;
  /** Oldest version of the CDK bootstrap that can deploy the stack. */
  bootstrapVersion: number;
}

/** A stack of an assembly. */
export function synthesizedStack(artifact: CloudFormationStackArtifact): SynthesizedStack {
  const { stackName: name, template, requiresBootstrapStackVersion } = artifact;
  const { Resources: resources } = template as { Resources: Resources };
  return { name, resources, bootstrapVersion: requiresBootstrapStackVersion ?? 0 };
}

/**
 * The stacks without their functions' code, which takes a second: for costs, and checks before a deployment. Prints no
 * warnings: `cdk deploy` does.
 */
export function synthesizeWithoutCode(context: Record<string, unknown>) {
  const { app, settings, stack, frontDoor, webConsole } = serviceApp({ ...context, "aws:cdk:bundling-stacks": [] });
  Annotations.of(stack).acknowledgeWarning(withoutFrontDoor);
  const assembly = app.synth();
  const synthesized = ({ artifactId }: Stack) => synthesizedStack(assembly.getStackArtifact(artifactId));
  const found = {
    settings,
    service: synthesized(stack),
    ...(frontDoor && { frontDoor: synthesized(frontDoor) }),
    ...(webConsole && { webConsole: synthesized(webConsole) }),
  };
  rmSync(assembly.directory, { recursive: true }); // below the system's folder for temporary files
  return found;
}
