import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { CloudAssembly } from "aws-cdk-lib/cx-api";
import { defaultThrottle } from "../../lib/concurrency.ts";
import { consoleStackName } from "../../lib/console/outputs.ts";
import { frontDoorStackName, serviceStackName } from "../../lib/outputs.ts";
import { synthesizedStack } from "../../lib/service-app.ts";
import { readSettings } from "../../lib/settings.ts";
import { CliError, type Io } from "../cli.ts";
import { contextOf, optionsOf, type Plan, planFrom } from "./plan.ts";
import { runCdk } from "./run-cdk.ts";

// An assembly is what `cdk synth` writes: the templates and the functions' code. `--template-only` adds the settings.

const settingsFile = "agent-run-service.json";

/** Writes the assembly of a deployment to the folder of `--output`, and the settings beside it. Calls nothing on AWS. */
export async function writeAssembly(plan: Plan, args: string[], io: Io): Promise<void> {
  const { concurrentRuns, requestsPerSecond, sandbox, s3PrefixList } = plan.settings;
  if (concurrentRuns === "auto") {
    throw new CliError(
      "concurrentRuns is auto, which depends on the account, and --template-only asks no account; set it to a number: the " +
        "preflight of npm run deploy prints the one for an account, and 0 reserves nothing",
    );
  }
  const [folder = "cdk.out"] = optionsOf(args, "--output", "-o"); // CDK's default
  const code = await runCdk("synth", ["--quiet", ...args]);
  if (code !== 0) throw new CliError("cdk synth failed; correct the error above and repeat the command");
  writeFileSync(join(folder, settingsFile), `${JSON.stringify(contextOf(args), undefined, 2)}\n`);
  if (requestsPerSecond === "auto") {
    io.out(
      `note     requestsPerSecond is auto, and the account's quota is unknown: the throttle is ${defaultThrottle().rate} requests a second. ` +
        "docs/scale.md has the numbers of npm run deploy.",
    );
  }
  if (sandbox === "linux" && s3PrefixList === "") {
    io.out(
      "note     s3PrefixList is not set: the sandbox's security group allows HTTPS to all addresses; the only route is that to S3. " +
        "npm run deploy looks it up, --template-only does not.",
    );
  }
  io.out(`Nothing was deployed. To deploy what is in ${folder}: npm run deploy -- --assembly ${folder}`);
}

/** What `cdk deploy` will deploy of an assembly that `writeAssembly` has written. `args`: those for CDK. */
export function planOfAssembly(folder: string, args: string[]): Plan {
  const settings = readSettings(new App({ context: settingsIn(folder) }).node);
  const { stage } = settings;
  const assembly = new CloudAssembly(folder);
  const stackOf = (name: string) => assembly.stacks.find(({ stackName }) => stackName === name);
  const [service, frontDoor, webConsole] = [serviceStackName, frontDoorStackName, consoleStackName].map((nameOf) => {
    const artifact = stackOf(nameOf(stage));
    return artifact && synthesizedStack(artifact);
  });
  if (!service) throw new CliError(`${folder} has no stack ${serviceStackName(stage)}; ${remedy}`);
  return { ...planFrom({ settings, service, frontDoor, webConsole }, args), isPrepared: true };
}

const remedy = "write it with npm run deploy -- --template-only --output DIR";

function settingsIn(folder: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(join(folder, settingsFile), "utf8")) as Record<string, unknown>;
  } catch {
    throw new CliError(
      `${folder} was not written by npm run deploy -- --template-only: ${settingsFile} is missing or is not valid JSON; ${remedy}`,
    );
  }
}
