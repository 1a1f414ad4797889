import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { functionUrl } from "./environment-function.ts";
import { folder } from "./phases.ts";
import { type Ended, environment, run, succeed } from "./processes.ts";

export const stackName = "AgentRunService-test";
export const frontDoorName = "AgentRunFrontDoor-test";
export const consoleName = "AgentRunConsole-test";

/** The folder for the synthesized templates of all stacks. */
export const assembly = join(folder, "cdk.out");

/** An image that nobody needs to build: its function is `environment-function.ts`. */
const image = `000000000000.dkr.ecr.us-east-1.amazonaws.com/linux@sha256:${"0".repeat(64)}`;

/** Options of every CDK command: some settings override those of `cdk.json`. */
function context(): string[] {
  const sandbox = process.env[functionUrl] === undefined ? "sandbox=javascript" : `environments=linux=${image}`;
  return ["stage=test", "removal=destroy", "console=cognito", sandbox].flatMap((setting) => ["--context", setting]);
}
const app = ["--app", `node ${join("test", "deploy", "app.ts")}`, "--output", assembly];
const approval = ["--require-approval", "never"];
const noTelemetry = { CDK_DISABLE_CLI_TELEMETRY: "true" };

/** Runs the CDK CLI on the templates that `npm run deploy` has synthesized. */
export async function cdk(command: "deploy" | "destroy", ...args: string[]): Promise<void> {
  const options = [...context(), ...(command === "deploy" ? approval : []), "--app", assembly];
  await succeed("cdk", [command, ...args, ...options], { env: environment(noTelemetry) });
}

/** Bootstraps a region of the account, in a folder without an app, which the CDK CLI would synthesize. */
export async function bootstrap(region: string): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "bootstrap-"));
  const env = { AWS_REGION: region, AWS_DEFAULT_REGION: region };
  await succeed("cdk", ["bootstrap", `aws://000000000000/${region}`], {
    cwd,
    env: environment({ ...noTelemetry, ...env }),
  });
  rmSync(cwd, { recursive: true });
}

/** Runs `npm run deploy`. */
export function npmRunDeploy(...args: string[]): Promise<Ended> {
  return run("npm", ["run", "-s", "deploy", "--", ...args, ...context(), ...approval, ...app], {
    env: environment(noTelemetry),
  });
}
