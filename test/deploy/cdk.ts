import { join } from "node:path";
import { folder } from "./phases.ts";
import { environment, succeed } from "./processes.ts";

export const stackName = "AgentRunService-test";
export const frontDoorName = "AgentRunFrontDoor-test";

/** The folder for the synthesized templates of both stacks. */
export const assembly = join(folder, "cdk.out");

/** Runs the CDK CLI on the project. `--context` overrides two settings of `cdk.json`. */
export async function cdk(command: "bootstrap" | "deploy" | "destroy", ...args: string[]): Promise<void> {
  const context = ["stage=test", "removal=destroy"].flatMap((setting) => ["--context", setting]);
  const approval = command === "deploy" ? ["--require-approval", "never"] : [];
  const app = join("test", "deploy", "app.ts");
  const output = args.includes("--app") ? [] : ["--app", `node ${app}`, "--output", assembly];
  await succeed("cdk", [command, ...args, ...context, ...approval, ...output], {
    env: environment({ CDK_DISABLE_CLI_TELEMETRY: "true" }),
  });
}
