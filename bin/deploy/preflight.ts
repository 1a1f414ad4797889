import type { Stack } from "@aws-sdk/client-cloudformation";
import { runbook } from "../../lib/monitoring/alarm.ts";
import { defaultConcurrentRuns, defaultThrottle, throttleOf, unreservable } from "../../lib/concurrency.ts";
import { webFunctionLimits } from "../../lib/front-door/hosting.ts";
import { ofType } from "../../lib/idle-cost.ts";
import { type Account, vpcQuotaCode } from "./account.ts";
import { type Check, check, note, ok, type Result, stop } from "./check.ts";
import type { Plan } from "./plan.ts";
import { missingTypesCheck, tenancyCheck } from "./region.ts";
import { warmCheck } from "./warm.ts";

/** Processors of an environment of a web function. */
const webFunctionProcessors = 2;

/** Compares the plan with the account and its region. */
export function preflight(plan: Plan, account: Account, region: string): Check[] {
  const isFirst = isFirstDeployment(plan, account);
  return [
    ...check("bootstrap", account.bootstrap, (stack) => bootstrapCheck(plan, stack)),
    ...check("stacks", account.stacks, (stacks) => plan.stacks.map(({ name }) => stackCheck(name, stacks.get(name)))),
    ...(isFirst ? leftoverChecks(account) : []),
    ...check("resource types", account.missingTypes, missingTypesCheck),
    ...(plan.settings.sandbox !== "off"
      ? check("tenant isolation", { value: region }, () => tenancyCheck(plan, region))
      : []),
    ...(plan.settings.sandbox === "linux" && plan.settings.s3PrefixList === ""
      ? check("prefix list of S3", account.s3PrefixList, (id) =>
          plan.isPrepared ? note(`${id} is not in the assembly: set s3PrefixList when you write it`) : ok(id),
        )
      : []),
    ...(plan.settings.largeBodies === "web-function" && plan.frontDoor
      ? check("web functions", account.webFunctions, (quotas) => webFunctionCheck(quotas))
      : []),
    ...check("Lambda concurrency", account.concurrency, (found) =>
      concurrencyCheck(plan, found, ownConcurrency(plan, account)),
    ),
    ...(plan.settings.warm > 0
      ? check("warm functions", account.concurrency, (found) => {
          const own = ownConcurrency(plan, account) ?? 0;
          return warmCheck({ ...found, warm: plan.settings.warm, own, runs: runsOf(plan, found, own), isFirst });
        })
      : []),
    ...check("VPCs", account.vpcs, (count) => vpcCheck(plan, account, count)),
  ];
}

function bootstrapCheck({ settings, stacks }: Plan, stack: Stack | undefined): Result {
  if (stack === undefined) return stop("this region has no CDK bootstrap; run npm run bootstrap");
  const outputs = outputsOf(stack);
  const version = Number(outputs["BootstrapVersion"]);
  const required = Math.max(...stacks.map(({ bootstrapVersion }) => bootstrapVersion));
  if (!(version >= required)) {
    const found = `${stack.StackName} is in ${stack.StackStatus}, with version ${outputs["BootstrapVersion"] ?? "unknown"}`;
    return stop(`${found}; version ${required} or newer is required; run npm run bootstrap`);
  }
  const key = outputs["FileAssetKeyArn"] ?? "";
  if (settings.largeBodies === "web-function" && key.startsWith("arn:")) {
    return stop(
      `its bucket is encrypted with ${key}, and a web function cannot be deployed from it; ` +
        "run npm run bootstrap -- --bootstrap-customer-key=false, or set largeBodies to fargate or off",
    );
  }
  return ok(`version ${version}`);
}

function stackCheck(name: string, stack: Stack | undefined): Result {
  return { ...stackState(name, stack), name };
}

/** The states that CloudFormation leaves behind when it cannot create or delete a stack. */
function stackState(name: string, stack: Stack | undefined): Result {
  const { StackStatus: status = "", EnableTerminationProtection: isProtected } = stack ?? {};
  if (stack === undefined || status === "REVIEW_IN_PROGRESS") return ok("will be created");
  if (status.endsWith("_IN_PROGRESS"))
    return stop(`is in ${status}: another deployment is running; wait until it ends`);
  if (status === "UPDATE_ROLLBACK_FAILED") {
    return stop(`is in ${status}; run aws cloudformation continue-update-rollback --stack-name ${name}`);
  }
  if (status === "ROLLBACK_FAILED" || status === "DELETE_FAILED") {
    return stop(`is in ${status}; delete it as in ${runbook}#stack-in-rollback_failed`);
  }
  if (status === "ROLLBACK_COMPLETE") {
    if (!isProtected) return note("was left by a failed deployment; it will be deleted and created again");
    return stop(
      "was left by a failed deployment and is protected from deletion; run aws cloudformation " +
        `update-termination-protection --no-enable-termination-protection --stack-name ${name}`,
    );
  }
  return ok(`will be updated, is in ${status}`);
}

function isFirstDeployment(plan: Plan, { stacks }: Account): boolean {
  return "value" in stacks && !isDeployed(stacks.value.get(plan.service.name));
}

/** The settings that depend on the account, as CDK context. */
export function accountContext(plan: Plan, account: Account): string[] {
  return [...concurrencyContext(plan, account), ...throttleContext(plan, account), ...prefixListContext(plan, account)];
}

function throttleContext(plan: Plan, { concurrency, stacks }: Account): string[] {
  if (plan.settings.requestsPerSecond !== "auto") return [];
  // If the account's quota is unknown, an existing throttle is kept.
  const own = ownOutputs(plan, { stacks })?.["RequestsPerSecond"];
  const found = "value" in concurrency ? defaultThrottle(concurrency.value.limit) : own && throttleOf(Number(own));
  if (!found) return [];
  return ["--context", `requestsPerSecond=${found.rate}`];
}

/** Without the list, the sandbox's security group allows HTTPS to all addresses; the only route is that to S3. */
function prefixListContext({ settings }: Plan, { s3PrefixList }: Account): string[] {
  if (settings.sandbox !== "linux" || settings.s3PrefixList !== "" || "unknown" in s3PrefixList) return [];
  return ["--context", `s3PrefixList=${s3PrefixList.value}`];
}

function concurrencyContext(plan: Plan, account: Account): string[] {
  if (plan.settings.concurrentRuns !== "auto") return [];
  const own = ownConcurrency(plan, account);
  // If the account's quota is unknown, an existing reservation is kept.
  const runs = "value" in account.concurrency ? runsOf(plan, account.concurrency.value, own ?? 0) : own;
  return runs === undefined ? [] : ["--context", `concurrentRuns=${runs}`];
}

/** What the existing service reserves. 0: it does not exist. Undefined: deployed without the output, or unknown. */
function ownConcurrency({ service }: Plan, { stacks }: Account): number | undefined {
  if ("unknown" in stacks) return undefined;
  const own = ownOutputs({ service }, { stacks });
  if (own === undefined) return 0;
  const { ConcurrentRuns } = own;
  return ConcurrentRuns === undefined ? undefined : Number(ConcurrentRuns);
}

/** Outputs of the existing service. Undefined: it does not exist, or is unknown. */
function ownOutputs({ service }: Pick<Plan, "service">, { stacks }: Pick<Account, "stacks">) {
  const stack = "value" in stacks ? stacks.value.get(service.name) : undefined;
  return isDeployed(stack) ? outputsOf(stack) : undefined;
}

/** Whether the stack has resources that are in use. */
export function isDeployed(stack: Stack | undefined): boolean {
  return stack !== undefined && !/^(REVIEW_IN_PROGRESS|ROLLBACK_|CREATE_FAILED|DELETE_)/.test(stack.StackStatus ?? "");
}

function leftoverChecks({ data, logGroups }: Account): Check[] {
  return [
    ...check("earlier data", data, (names) =>
      names.length === 0
        ? ok("none")
        : note(
            `kept from an earlier deployment: ${names.join(", ")}; this deployment does not use it and starts empty; ` +
              "docs/deploying.md#delete-the-data-of-a-removed-service",
          ),
    ),
    ...check("log groups", logGroups, (names) => {
      const commands = names.map((name) => `aws logs delete-log-group --log-group-name ${name}`);
      return names.length === 0 ? ok("none has a planned name") : stop(`already exist; run ${commands.join(" && ")}`);
    }),
  ];
}

/** AWS does not document whether a higher limit is rejected or has no effect. */
function webFunctionCheck({ requests, processors }: { requests: number; processors: number }): Result {
  const environments = Math.floor(processors / webFunctionProcessors);
  const found = `the quotas are ${requests} requests per second and ${environments} environments`;
  const { requestsPerSecond: rate, environments: most } = webFunctionLimits;
  if (rate <= requests && most <= environments) return ok(found);
  return note(`${found}, of which it may use ${rate} and ${most}: if the front door fails, set largeBodies to fargate`);
}

type Concurrency = { limit: number; unreserved: number };

/**
 * The value of `concurrentRuns` in this account. `own`: what the service reserves already, which is not part of
 * `unreserved`. With `auto`, it is kept if others have reserved too much for the default. 0: nothing can be reserved.
 */
function runsOf({ settings: { concurrentRuns, warm } }: Plan, { limit, unreserved }: Concurrency, own: number): number {
  if (concurrentRuns !== "auto") return concurrentRuns;
  const possible = unreserved + own - unreservable;
  return [defaultConcurrentRuns(limit, warm), own].find((runs) => runs <= possible) ?? 0;
}

function concurrencyCheck(plan: Plan, found: Concurrency, own: number | undefined): Result {
  const { limit, unreserved } = found;
  const isAuto = plan.settings.concurrentRuns === "auto";
  const concurrentRuns = runsOf(plan, found, own ?? 0);
  // With an unknown `own`, all reservations may be the service's: a number that fits is never stopped.
  const most = Math.max(0, (own === undefined && !isAuto ? limit : unreserved + (own ?? 0)) - unreservable);
  const quota = `${limit} concurrent executions, of which ${unreserved} are unreserved`;
  if (concurrentRuns > most) {
    const change = most === 0 ? "set concurrentRuns to 0" : `set concurrentRuns to ${most} or less`;
    return stop(`${quota}; concurrentRuns is ${concurrentRuns}, and Lambda keeps ${unreservable}; ${change}`);
  }
  if (concurrentRuns > 0)
    return ok(
      `${limit} concurrent executions, of which concurrentRuns reserves ${concurrentRuns}${isAuto ? " (auto)" : ""}`,
    );
  if (most === 0) return note(`${quota}: runs, creates and polls share them; docs/operations.md#throttles`);
  return note(`${quota}: runs can use all of them; set concurrentRuns (at most ${most}) to keep some for requests`);
}

function vpcCheck({ stacks }: Plan, account: Account, count: number): Result {
  const existing = "value" in account.stacks ? account.stacks.value : new Map<string, Stack>();
  const needed = stacks
    .filter(({ name }) => !isDeployed(existing.get(name)))
    .reduce((sum, { resources }) => sum + ofType(resources, "AWS::EC2::VPC").length, 0);
  if ("unknown" in account.vpcQuota) {
    return { verdict: "unknown", text: `${count} exist, ${needed} will be added; quota: ${account.vpcQuota.unknown}` };
  }
  const quota = account.vpcQuota.value;
  const found = `${count} of ${quota} exist, ${needed} will be added`;
  if (count + needed <= quota) return ok(found);
  return stop(
    `${found}; set sandbox to off, or request a higher quota: aws service-quotas request-service-quota-increase ` +
      `--service-code vpc --quota-code ${vpcQuotaCode} --desired-value ${count + needed}`,
  );
}

export function outputsOf(stack: Stack | undefined): Record<string, string | undefined> {
  return Object.fromEntries((stack?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}
