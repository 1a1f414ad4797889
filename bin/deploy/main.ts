import { UpdateTerminationProtectionCommand } from "@aws-sdk/client-cloudformation";
import { runbook } from "../../lib/monitoring/alarm.ts";
import type { SynthesizedStack } from "../../lib/service-app.ts";
import { firstDeploymentKey } from "../../lib/termination-protection.ts";
import { type Aws, connectToAws } from "../aws.ts";
import { CliError, type Io } from "../cli.ts";
import { type Account, readAccount, stackOf } from "./account.ts";
import { readArguments } from "./arguments.ts";
import { planOfAssembly, writeAssembly } from "./assembly.ts";
import { type Check, describeChecks } from "./check.ts";
import { adviceAfterFailure } from "./failure.ts";
import { buildsImages, findImageBuilder, imageChecks, withoutImages } from "./images.ts";
import { describePlan, optionsOf, type Plan, planOf } from "./plan.ts";
import { accountContext, isDeployed, outputsOf, preflight } from "./preflight.ts";
import { runCdk } from "./run-cdk.ts";
import { reachableUrl, smokeTest } from "./smoke-test.ts";

const usage = `npm run deploy -- [STACK] [--settings FILE] [--template-only | --assembly DIR] [OPTIONS of cdk deploy]

Check the account, deploy all stacks with cdk deploy, and test the deployed service.

  --settings FILE    settings of a stage as JSON, before those of --context
  --template-only    write the templates and the functions' code to a folder (--output DIR, default: cdk.out), and deploy
                     nothing; needs no AWS credentials
  --assembly DIR     deploy what --template-only has written

npx cdk deploy --all deploys without the checks and the test. npx cdk deploy --help lists the options.
Patterns of stack names, --exclusively and -cNAME=VALUE without a space are rejected.

Exit codes: 0 if the service is deployed and passes the test; otherwise not 0.`;

/** Runs `npm run deploy`. Resolves with the exit code. */
export async function main(args: string[], io: Io): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    io.out(usage);
    return 0;
  }
  try {
    await deploy(args, io);
    return 0;
  } catch (error) {
    io.err(`deploy: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

async function deploy(given: string[], io: Io): Promise<void> {
  const { templateOnly, assembly, cdk } = readArguments(given);
  const requested = assembly === undefined ? planOf(cdk) : planOfAssembly(assembly, cdk);
  if (templateOnly) return writeAssembly(requested, cdk, io);
  const builder = buildsImages(requested.settings) ? findImageBuilder() : undefined;
  // The preflight stops if an assembly needs images.
  const hasImages = builder !== undefined || !buildsImages(requested.settings) || requested.isPrepared === true;
  const args = hasImages ? cdk : [...cdk, ...withoutImages];
  const plan = hasImages ? requested : planOf(args);
  const [[region], [profile]] = [optionsOf(args, "--region"), optionsOf(args, "--profile")];
  const aws = await connectToAws({ ...(region && { region }), ...(profile && { profile }) });
  const [bootstrapStack = "CDKToolkit"] = optionsOf(args, "--toolkit-stack-name");

  const account = await readAccount(aws, plan, bootstrapStack);
  const checks = [...preflight(plan, account, aws.region), ...imageChecks(requested, account, builder)];
  printPreflight(aws, account, checks, io);
  io.out(["", ...describePlan(plan), ""].join("\n"));

  // A protected stack cannot be deleted, which is necessary to repeat a failed first deployment.
  const isFirst = ({ name }: SynthesizedStack): boolean =>
    "value" in account.stacks && !isDeployed(account.stacks.value.get(name));
  const first = plan.stacks.filter(isFirst).map(({ name }) => name);
  const context = first.length > 0 ? ["--context", `${firstDeploymentKey}=${first.join(",")}`] : [];
  const source = assembly === undefined ? [...context, ...accountContext(plan, account)] : ["--app", assembly];
  const all = plan.stacks.some(({ name }) => args.includes(name)) ? [] : ["--all"];
  const started = new Date();
  const code = await runCdk("deploy", [...all, ...args, ...source], builder);
  if (plan.settings.removal === "retain") {
    for (const name of first) if (name !== plan.webConsole?.name) await protect(aws, name, io);
  }
  if (code !== 0) {
    for (const advice of await adviceAfterFailure(aws, plan.stacks, started)) io.err(`\n${advice}.`);
    const remedy = "correct the error above and repeat the command; see docs/deploying.md#after-a-failed-deployment";
    throw new CliError(`cdk deploy failed; ${remedy}`);
  }
  await testService(aws, plan, io);
}

/** Prints the checks. Throws if the deployment would fail. */
function printPreflight({ region }: Aws, { id }: Account, checks: Check[], io: Io): void {
  const account = "value" in id && id.value ? `account ${id.value}` : "the account";
  io.out([`Preflight of ${account} in ${region}:`, ...describeChecks(checks)].join("\n"));
  const count = (verdict: Check["verdict"]): number => checks.filter((check) => check.verdict === verdict).length;
  if (count("unknown") > 0) io.out("A check marked unknown could not be made. It does not stop the deployment.");
  const stops = count("stop");
  if (stops > 0) throw new CliError(`nothing was deployed; correct what is marked STOP above (${stops})`);
}

/** Protects a stack from deletion if its first deployment succeeded. Otherwise, the next deployment protects it. */
async function protect(aws: Aws, name: string, io: Io): Promise<void> {
  try {
    if (!isDeployed(await stackOf(aws, name))) return;
    const change = { StackName: name, EnableTerminationProtection: true };
    await aws.cloudFormation.send(new UpdateTerminationProtectionCommand(change));
    io.out(`${name} is now protected from deletion.`);
  } catch (error) {
    io.err(`deploy: ${name} is not protected from deletion (${String(error)}). The next deployment will protect it.`);
  }
}

async function testService(aws: Aws, plan: Plan, io: Io): Promise<void> {
  const { service, frontDoor, webConsole, settings } = plan;
  const [api, door, page] = await Promise.all(
    [service, frontDoor, webConsole].map(async (stack) => stack && stackOf(aws, stack.name)),
  ).catch((error: unknown) => {
    io.err(`deploy: the address of the service cannot be read: ${String(error)}`);
    return [];
  });
  const [{ ApiUrl }, { BaseUrl, CloudFrontDomain }] = [outputsOf(api), outputsOf(door)];
  const address = BaseUrl ?? ApiUrl;
  if (address === undefined) return io.out("The smoke test was not made: the address of the service is unknown.");
  io.out(`\nSmoke test of ${address}:`);
  const baseUrl = await reachableUrl(address, CloudFrontDomain, io);
  const uploads = BaseUrl === undefined ? "off" : settings.largeBodies;
  if (await smokeTest({ baseUrl, uploads, endpoint: aws.endpoint }, io)) {
    io.out(`The service is deployed at ${address}`);
    const { ConsoleUrl } = outputsOf(page);
    if (ConsoleUrl !== undefined) io.out(`Its web application is at ${ConsoleUrl}`);
    return;
  }
  throw new CliError(`the service is deployed, but failed its smoke test. Continue with ${runbook}#smoke-test`);
}
