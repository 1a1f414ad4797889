import { join } from "node:path";
import { folder } from "./phases.ts";
import { environment, run, succeed } from "./processes.ts";

// The stack that upgrade.test.ts deploys with one version and updates to another.

export const stack = "AgentRunService-upgrade";

export const settings = {
  stage: "upgrade",
  removal: "destroy",
  largeBodies: "off",
  sandbox: "javascript",
  concurrentRuns: 20,
};

/** The folder for the prepared assembly. */
export const assembly = join(folder, "upgraded.out");

/** The arguments of `npm run deploy` that name the app of this test. */
export const testApp = ["--app", `node ${join("test", "deploy", "app.ts")}`];

/** `npm run deploy` of a version in its folder. */
export async function deploy(sources: string, options: string[], env = environment()): Promise<string> {
  const withoutTelemetry = { ...env, CDK_DISABLE_CLI_TELEMETRY: "true" };
  const args = ["run", "-s", "deploy", "--", ...options];
  const { status, stdout, stderr } = await run("npm", args, { cwd: sources, env: withoutTelemetry });
  if (status !== 0) throw new Error(`the deployment of ${sources} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** The admin CLI of a version. */
export function adminOf(sources: string, ...args: string[]): Promise<Record<string, unknown>> {
  return adminIn(stack, sources, ...args);
}

/** The admin CLI of a version, on a stack. */
export async function adminIn(name: string, sources: string, ...args: string[]): Promise<Record<string, unknown>> {
  const command = [join("bin", "admin.ts"), "--stack", name, "--json", ...args]; // `npm run` takes a second more
  return JSON.parse(await succeed("node", command, { cwd: sources })) as Record<string, unknown>;
}
