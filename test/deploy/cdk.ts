import { join } from "node:path";
import { folder } from "./ministack.ts";
import { environment, succeed } from "./processes.ts";

export const stackName = "AgentRunService-test";

/** The CDK CLI on the project as it is; only settings differ from `cdk.json`'s, by `--context`. */
export async function cdk(command: "bootstrap" | "deploy" | "destroy", ...args: string[]): Promise<void> {
  const context = ["stage=test", "removal=destroy", "largeBodies=off"].flatMap((setting) => ["--context", setting]);
  const approval = command === "deploy" ? ["--require-approval", "never"] : [];
  const stacks = command === "bootstrap" ? [] : [stackName];
  const output = ["--output", join(folder, "cdk.out")];
  await succeed("cdk", [command, ...stacks, ...context, ...approval, ...output, ...args], {
    env: environment({ CDK_DISABLE_CLI_TELEMETRY: "true" }),
  });
}
