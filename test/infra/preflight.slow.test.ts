import { readFileSync } from "node:fs";
import type { Stack } from "@aws-sdk/client-cloudformation";
import { afterEach, expect, test, vi } from "vitest";
import { connectToAws } from "../../bin/aws.ts";
import { type Account, readAccount } from "../../bin/deploy/account.ts";
import { adviceAfterFailure } from "../../bin/deploy/failure.ts";
import { main } from "../../bin/deploy/main.ts";
import { findImageBuilder, imageChecks } from "../../bin/deploy/images.ts";
import { describePlan, type Plan, planOf } from "../../bin/deploy/plan.ts";
import { accountContext, preflight } from "../../bin/deploy/preflight.ts";
import { defaultConcurrentRuns, defaultThrottle } from "../../lib/concurrency.ts";
import { runbook } from "../../lib/monitoring/alarm.ts";
import { httpServer } from "../support/http-server.ts";

process.env["CDK_VALIDATION"] = "false"; // as in the fast tier

const fixedThrottle = ["--context", "requestsPerSecond=77"];
const plans = {
  "web-function": planOf([]),
  fargate: planOf(["--context", "largeBodies=fargate", "-c", "concurrentRuns=50", ...fixedThrottle]),
};

const stack = (StackStatus: string, outputs: Record<string, string> = {}, more: Partial<Stack> = {}): Stack => ({
  StackName: "CDKToolkit",
  CreationTime: new Date(0),
  StackStatus: StackStatus as Stack["StackStatus"],
  Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
  ...more,
});

/** An account that a first deployment fits into. */
const newAccount: Account = {
  id: { value: "111122223333" },
  stacks: { value: new Map() },
  bootstrap: { value: stack("CREATE_COMPLETE", { BootstrapVersion: "30", FileAssetKeyArn: "AWS_MANAGED_KEY" }) },
  data: { value: [] },
  logGroups: { value: [] },
  missingTypes: { value: [] },
  webFunctions: { value: { requests: 10_000, processors: 2_000 } },
  concurrency: { value: { limit: 1_000, unreserved: 1_000 } },
  vpcs: { value: 1 },
  vpcQuota: { value: 5 },
  s3PrefixList: { value: "pl-6ea54007" },
};

/** What every deployment with Linux environments is passed for this account. */
const prefixList = ["--context", "s3PrefixList=pl-6ea54007"];

/** The checks of this account that are not ok, as `verdict name: text`. */
function findings(
  account: Partial<Account>,
  hosting: keyof typeof plans = "fargate",
  region = "eu-central-1",
): string[] {
  const checks = preflight(plans[hosting], { ...newAccount, ...account }, region);
  return checks
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ verdict, name, text }) => `${verdict} ${name}: ${text}`);
}

const service = (status: string, isProtected = true): Partial<Account> => ({
  stacks: {
    value: new Map([["AgentRunService-prod", stack(status, {}, { EnableTerminationProtection: isProtected })]]),
  },
});

const bootstrap = (outputs: Record<string, string>, status = "CREATE_COMPLETE"): Partial<Account> => ({
  bootstrap: { value: stack(status, outputs) },
});

const stacksOf = ({ stacks }: Plan): string[] => stacks.map(({ name }) => name.replace("AgentRun", ""));
const namesOf = (...args: string[]): string[] => stacksOf(planOf(args));

test("the plan has the stacks that cdk deploy takes along", () => {
  const cognito = ["--context", "console=cognito"];
  const all = ["Service-prod", "FrontDoor-prod", "Console-prod"];
  const whole = planOf(cognito);
  expect(stacksOf(whole)).toEqual(all);
  expect(namesOf("AgentRunConsole-prod", ...cognito)).toEqual(all);
  expect(namesOf("AgentRunFrontDoor-prod", ...cognito)).toEqual(["Service-prod", "FrontDoor-prod"]);
  expect(namesOf("AgentRunService-prod", ...cognito)).toEqual(["Service-prod"]);
  expect(namesOf(...cognito, "--context", "largeBodies=off")).toEqual(["Service-prod", "Console-prod"]);
  expect(describePlan(whole).join()).toContain("1 HTTP API, 3 functions, 1 user pool, 1 alarm");
});

test("an account that the deployment fits into has no findings", () => {
  expect(findings({})).toEqual([]);
  expect(findings({ ...service("UPDATE_COMPLETE"), data: { value: ["a table"] } })).toEqual([]);
});

test.each<[string, Partial<Account>, keyof typeof plans, RegExp]>([
  ["no bootstrap", { bootstrap: { value: undefined } }, "fargate", /^stop bootstrap: .* run npm run bootstrap$/],
  [
    "an old bootstrap",
    bootstrap({ BootstrapVersion: "5" }),
    "fargate",
    /^stop bootstrap: .*version 5; version 6 or newer is required/,
  ],
  [
    "a failed bootstrap",
    bootstrap({}, "ROLLBACK_COMPLETE"),
    "fargate",
    /^stop bootstrap: CDKToolkit is in ROLLBACK_COMPLETE/,
  ],
  [
    "a bootstrap with a customer's key",
    bootstrap({ BootstrapVersion: "30", FileAssetKeyArn: "arn:aws:kms:x" }),
    "web-function",
    /^stop bootstrap: .*arn:aws:kms:x.* set largeBodies to fargate or off$/,
  ],
  [
    "the protected rest of a failed deployment",
    service("ROLLBACK_COMPLETE"),
    "fargate",
    /^stop AgentRunService-prod: .*--no-enable-termination-protection --stack-name AgentRunService-prod$/,
  ],
  [
    "the rest of a failed deployment",
    service("ROLLBACK_COMPLETE", false),
    "fargate",
    /^note AgentRunService-prod: .* will be deleted and created again$/,
  ],
  [
    "a failed rollback",
    service("ROLLBACK_FAILED"),
    "fargate",
    /^stop AgentRunService-prod: .*operations.md#stack-in-rollback_failed$/,
  ],
  [
    "a failed deletion",
    service("DELETE_FAILED"),
    "fargate",
    /^stop AgentRunService-prod: .*operations.md#stack-in-rollback_failed$/,
  ],
  [
    "a failed rollback of an update",
    service("UPDATE_ROLLBACK_FAILED"),
    "fargate",
    /^stop AgentRunService-prod: .*continue-update-rollback/,
  ],
  [
    "another deployment that is running",
    service("UPDATE_IN_PROGRESS"),
    "fargate",
    /^stop AgentRunService-prod: .*wait until it ends$/,
  ],
  [
    "data of an earlier deployment",
    { data: { value: ["a-table", "a-bucket"] } },
    "fargate",
    /^note earlier data: .*a-table, a-bucket.* starts empty/,
  ],
  [
    "a log group with a planned name",
    { logGroups: { value: ["/a"] } },
    "fargate",
    /^stop log groups: .*delete-log-group --log-group-name \/a$/,
  ],
  [
    "a region without web functions",
    { missingTypes: { value: ["AWS::Lambda::WebFunction"] } },
    "web-function",
    /^stop resource types: .*AWS::Lambda::WebFunction.* set largeBodies to fargate or off$/,
  ],
  [
    "low quotas of web functions",
    { webFunctions: { value: { requests: 100, processors: 20 } } },
    "web-function",
    /^note web functions: .* 10 environments, of which it may use 100 and 20: if the front door fails/,
  ],
  [
    "a region without VPC origins",
    { missingTypes: { value: ["AWS::CloudFront::VpcOrigin"] } },
    "fargate",
    /^stop resource types: .* set largeBodies to web-function or off$/,
  ],
  [
    "a region without a type that no setting leaves out",
    { missingTypes: { value: ["AWS::Scheduler::ScheduleGroup"] } },
    "fargate",
    /^stop resource types: .*AWS::Scheduler::ScheduleGroup in this region; deploy to another region$/,
  ],
  [
    "too little concurrency",
    { concurrency: { value: { limit: 1_000, unreserved: 140 } } },
    "fargate",
    /^stop Lambda concurrency: .*concurrentRuns is 50.*set concurrentRuns to 40 or less$/,
  ],
  [
    "concurrency that cannot be reserved",
    { concurrency: { value: { limit: 10, unreserved: 10 } } },
    "fargate",
    /^stop Lambda concurrency: .*set concurrentRuns to 0$/,
  ],
  [
    "too few VPCs",
    { vpcs: { value: 4 } },
    "fargate",
    /^stop VPCs: 4 of 5 exist, 2 will be added; set sandbox to off, or .*--desired-value 6$/,
  ],
  ["a missing permission", { vpcs: { unknown: "AccessDenied: no" } }, "fargate", /^unknown VPCs: AccessDenied: no$/],
  [
    "an unknown quota",
    { vpcQuota: { unknown: "AccessDenied: no" } },
    "fargate",
    /^unknown VPCs: 1 exist, 2 will be added; quota: AccessDenied: no$/,
  ],
])("finds %s", (_, account, hosting, finding) => {
  expect(findings(account, hosting).filter((text) => !text.startsWith("note Lambda"))).toEqual([
    expect.stringMatching(finding),
  ]);
});

test.each(["ap-southeast-6", "us-gov-west-1", "cn-north-1"])("%s has no tenant isolation", (region) => {
  expect(findings({}, "web-function", region)).toEqual([
    `stop tenant isolation: Lambda has no tenant isolation in ${region}; set sandboxTenancy to off, or sandbox to off`,
  ]);
});

test.each([
  [1_000, 800],
  [500, 400],
  [300, 200],
  [200, 100],
  [199, 0],
  [10, 0],
])("of a quota of %i concurrent executions, %i are reserved for runs by default", (quota, runs) => {
  expect(defaultConcurrentRuns(quota)).toBe(runs);
});

/** An existing service that reserves `own` concurrent executions. Undefined: of a release without the output. */
const reserving = (own: number | undefined, status = "UPDATE_COMPLETE"): Pick<Account, "stacks"> => {
  const outputs = own === undefined ? {} : { ConcurrentRuns: String(own) };
  return { stacks: { value: new Map([["AgentRunService-prod", stack(status, outputs)]]) } };
};

test.each<[string, number, number, Pick<Account, "stacks">, number]>([
  ["a first deployment", 1_000, 1_000, newAccount, 800],
  ["its own reservation", 1_000, 200, reserving(800), 800],
  ["its own reservation beside that of another service", 2_000, 300, reserving(1_600), 1_600],
  ["another service of the account that has reserved all", 1_000, 200, reserving(0), 0],
  ["a first deployment beside another service", 1_000, 200, newAccount, 0],
  ["the rest of a failed first deployment", 1_000, 1_000, reserving(800, "ROLLBACK_COMPLETE"), 800],
  ["a quota that was raised", 1_500, 700, reserving(800), 1_200],
  ["a quota that was raised, with too little left", 1_500, 400, reserving(800), 800],
  ["a release without the output", 1_000, 1_000, reserving(undefined), 800],
  ["a release without the output, and others that have reserved", 1_000, 200, reserving(undefined), 0],
  ["a small quota", 10, 10, newAccount, 0],
])("concurrentRuns auto: %s", (_, limit, unreserved, stacks, runs) => {
  const account = { ...newAccount, ...stacks, concurrency: { value: { limit, unreserved } } };
  const { rate } = defaultThrottle(limit);
  expect(accountContext(plans["web-function"], account)).toEqual([
    "--context",
    `concurrentRuns=${runs}`,
    "--context",
    `requestsPerSecond=${rate}`,
    ...prefixList,
  ]);
  expect(findings(account, "web-function").filter((text) => text.startsWith("stop"))).toEqual([]);
});

/** The check of warm functions: its verdict, and the end of its text. */
function warmFinding(settings: string[], limit: number, unreserved: number, stacks = newAccount.stacks): string {
  const plan = planOf(settings.flatMap((setting) => ["--context", setting]));
  const account = { ...newAccount, stacks, concurrency: { value: { limit, unreserved } } };
  const found = preflight(plan, account, "eu-central-1");
  const { verdict, text = "" } = found.find(({ name }) => name === "warm functions") ?? {};
  return `${verdict}: ${text.slice(0, text.indexOf(";"))} … ${text.slice(text.lastIndexOf("-"))}`;
}

test.each<[string, string, number, number, string]>([
  ["a usual account", "warm=5", 1_000, 1_000, "ok: warm 5 takes 10 of 1000 concurrent execution"],
  ["a new account", "warm=1", 10, 10, "stop: warm 1 takes 3 of 10 concurrent executions … -value 1000"],
  ["a small quota, with room left by auto", "warm=10", 200, 200, "ok: warm 10 takes 20 of 200 concurrent execution"],
  [
    "more than the quota has",
    "warm=100",
    300,
    300,
    "stop: warm 100 takes 300 of 300 concurrent executions … -value 1000",
  ],
])("warm functions: %s", (_, setting, limit, unreserved, finding) => {
  expect(warmFinding([setting], limit, unreserved)).toContain(finding);
});

test("warm functions of an existing service that may have them already are a note", () => {
  const { stacks } = reserving(800);
  expect(warmFinding(["warm=60"], 1_000, 200, stacks)).toMatch(/^ok/); // auto leaves room for them
  expect(warmFinding(["warm=60", "concurrentRuns=800"], 1_000, 200, stacks)).toMatch(/^stop/);
  expect(warmFinding(["warm=40", "concurrentRuns=800"], 1_000, 150, reserving(800).stacks)).toMatch(/^note/);
});

test.each<[Pick<Account, "stacks">, string[]]>([
  [reserving(800), ["--context", "concurrentRuns=800"]],
  [reserving(undefined), []],
  [{ stacks: { unknown: "AccessDenied: no" } }, []],
])("an update keeps the reservation if the account's quota is unknown: %#", (stacks, context) => {
  const account = { ...newAccount, ...stacks, concurrency: { unknown: "AccessDenied: no" } };
  expect(accountContext(plans["web-function"], account)).toEqual([...context, ...prefixList]);
});

test.each([
  ["a new account", 10, 500],
  ["the usual quota", 1_000, 4_000],
  ["a quota that API Gateway's own limits", 10_000, 10_000],
])("requestsPerSecond auto: %s", (_, limit, rate) => {
  const account = { ...newAccount, concurrency: { value: { limit, unreserved: limit } } };
  expect(accountContext(planOf(["--context", "concurrentRuns=0"]), account)).toEqual([
    "--context",
    `requestsPerSecond=${rate}`,
    ...prefixList,
  ]);
  expect(accountContext(planWith(), account)).toEqual(prefixList);
});

test("an update keeps the throttle if the account's quota is unknown", () => {
  const existing = {
    stacks: { value: new Map([["AgentRunService-prod", stack("UPDATE_COMPLETE", { RequestsPerSecond: "4000" })]]) },
  };
  const account = { ...newAccount, ...existing, concurrency: { unknown: "AccessDenied: no" } };
  expect(accountContext(planOf(["--context", "concurrentRuns=0"]), account)).toEqual([
    "--context",
    "requestsPerSecond=4000",
    ...prefixList,
  ]);
});

test("a number of concurrentRuns is passed as it is, and may use the service's own reservation", () => {
  expect(accountContext(plans.fargate, newAccount)).toEqual(prefixList);
  const full = { concurrency: { value: { limit: 1_000, unreserved: 100 } } };
  expect(findings({ ...full, ...reserving(50) })).toEqual([]);
  expect(findings({ ...full, ...reserving(undefined) })).toEqual([]);
  expect(findings({ ...full, ...reserving(20) })).toEqual([
    expect.stringMatching(/^stop Lambda concurrency: .*set concurrentRuns to 20 or less$/),
  ]);
});

/** A plan that needs no numbers of the account's concurrency. */
const planWith = (...args: string[]): Plan => planOf(["--context", "concurrentRuns=0", ...fixedThrottle, ...args]);

test("the prefix list of S3 is passed on if it is known, and a setting replaces it", () => {
  const plan = planWith();
  expect(accountContext(plan, newAccount)).toEqual(prefixList);
  expect(accountContext(plan, { ...newAccount, s3PrefixList: { unknown: "AccessDenied: no" } })).toEqual([]);
  expect(accountContext(planWith("--context", "s3PrefixList=pl-63a5400a"), newAccount)).toEqual([]);
  expect(accountContext(planWith("--context", "sandbox=javascript"), newAccount)).toEqual([]);
});

const linux = plans["web-function"];
const deployedWith = (SandboxMode: string): Account => ({
  ...newAccount,
  stacks: { value: new Map([["AgentRunService-prod", stack("UPDATE_COMPLETE", { SandboxMode })]]) },
});

test("without Docker and Podman, the first deployment has no Linux environment, and an update does not remove it", () => {
  expect(imageChecks(linux, newAccount, undefined)).toEqual([
    expect.objectContaining({
      verdict: "note",
      text: expect.stringMatching(/neither Docker nor Podman .*sandbox=javascript/),
    }),
  ]);
  expect(imageChecks(linux, deployedWith("javascript"), undefined)).toMatchObject([{ verdict: "note" }]);
  expect(imageChecks(linux, deployedWith("linux"), undefined)).toEqual([
    expect.objectContaining({ verdict: "stop", text: expect.stringContaining("set sandbox to javascript") }),
  ]);
});

const forArchitecture = (name: string) => planOf(["--context", `sandboxArchitecture=${name}`]);

test("images are built with what works here, and named images need nothing", () => {
  const own = process.arch === "arm64" ? "arm64" : "x86_64";
  expect(imageChecks(forArchitecture(own), newAccount, "podman")).toMatchObject([{ verdict: "ok" }]);
  const other = own === "arm64" ? "x86_64" : "arm64";
  expect(imageChecks(forArchitecture(other), newAccount, "docker")).toMatchObject([
    { verdict: "note", text: expect.stringContaining(`set sandboxArchitecture to ${own}`) },
  ]);
  const image = `111122223333.dkr.ecr.eu-central-1.amazonaws.com/linux@sha256:${"0".repeat(64)}`;
  expect(imageChecks(planOf(["-c", `environments=linux=${image}`]), newAccount, undefined)).toEqual([]);
  expect(findImageBuilder({ CDK_DOCKER: "false" })).toBeUndefined();
  expect(findImageBuilder({ CDK_DOCKER: "true" })).toBe("true");
});

test("concurrency that cannot be reserved is named", () => {
  expect(findings({}, "web-function")).toEqual([]);
  const taken = { concurrency: { value: { limit: 1_000, unreserved: 700 } } };
  expect(findings(taken, "web-function")).toEqual([expect.stringMatching(/^note Lambda concurrency: .*at most 600/)]);
  const small = { concurrency: { value: { limit: 10, unreserved: 10 } } };
  expect(findings(small, "web-function")).toEqual([
    expect.stringMatching(/^note .*: runs, creates and polls share them/),
  ]);
});

test("the plan names the stacks' contents and the cost without requests, as docs/cost.md does", () => {
  const lines = describePlan(plans["web-function"]);
  expect(lines[1]).toMatch(/^ {2}AgentRunService-prod {4}1 HTTP API, 15 functions, 1 state machine, 1 table, 1 bucket/);
  expect(lines[2]).toMatch(/^ {2}AgentRunFrontDoor-prod {2}1 CloudFront distribution, 2 web functions/);
  expect(lines.at(-1)).toMatch(/^ {2}total +6\.5$/);
  expect(describePlan(plans.fargate).at(-1)).toMatch(/^ {2}total +45$/);
});

afterEach(() => void vi.unstubAllEnvs());

/** An AWS that answers each action of CloudFormation. */
function cloudFormation(answer: (parameters: URLSearchParams) => { status?: number; body: string }) {
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  return httpServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { status = 200, body: text } = answer(new URLSearchParams(body));
      response.writeHead(status, { "content-type": "text/xml" }).end(text);
    });
  });
}

test("all types of the plan are looked up, and those that the region does not know are named", async () => {
  const asked: string[] = [];
  await using aws = await cloudFormation((parameters) => {
    if (parameters.get("Action") !== "DescribeType") return { status: 400, body: xmlError("AccessDenied", "no") };
    const type = parameters.get("TypeName") ?? "";
    asked.push(type);
    return type === "AWS::Lambda::WebFunction"
      ? { status: 404, body: xmlError("TypeNotFoundException", "The type does not exist") }
      : { body: "<DescribeTypeResponse><DescribeTypeResult/></DescribeTypeResponse>" };
  });
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  const { missingTypes } = await readAccount(await connectToAws(), plans["web-function"], "CDKToolkit");
  expect(missingTypes).toEqual({ value: ["AWS::Lambda::WebFunction"] });
  const planned = plans["web-function"].stacks.flatMap(({ resources }) =>
    Object.values(resources).map(({ Type }) => Type),
  );
  expect(asked.toSorted()).toEqual([...new Set(planned)].filter((type) => type.startsWith("AWS::")).toSorted());
});

const event = (status: string, reason: string, at: string): string =>
  `<member><EventId>1</EventId><Timestamp>${at}</Timestamp><ResourceStatus>${status}</ResourceStatus>` +
  `<ResourceStatusReason>${reason}</ResourceStatusReason></member>`;

const adviceSince = async (time: string): Promise<string[]> =>
  adviceAfterFailure(await connectToAws(), plans["web-function"].stacks, new Date(time));

test("a failed deployment whose reason is known ends with what to do", async () => {
  const unverified = "Access denied: Your account must be verified before you can add new CloudFront resources. (403)";
  const events: Record<string, string> = {
    "AgentRunService-prod":
      event("CREATE_FAILED", "TenancyConfig is not supported", "2026-01-01T00:00:00Z") +
      event("CREATE_FAILED", "A version for this Lambda function exists ( 1 ).", "2026-01-01T00:00:00Z"),
    "AgentRunFrontDoor-prod": event("CREATE_FAILED", unverified, "2026-01-01T00:00:02Z"),
  };
  await using aws = await cloudFormation((parameters) => ({
    body: `<DescribeStackEventsResponse><DescribeStackEventsResult><StackEvents>${
      events[parameters.get("StackName") ?? ""]
    }</StackEvents></DescribeStackEventsResult></DescribeStackEventsResponse>`,
  }));
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  expect(await adviceSince("2026-01-01T00:00:01Z")).toEqual([
    expect.stringMatching(/AWS Support has verified.*--context largeBodies=off/),
  ]);
  expect(await adviceSince("2026-01-01T00:00:00Z")).toHaveLength(3);
  expect(await adviceSince("2026-01-02T00:00:00Z")).toEqual([]);
});

/** Runs `npm run deploy` with an AWS that answers every request like this. */
async function deploy(status: number, body: string, ...args: string[]) {
  await using aws = await httpServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end(body));
  });
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  vi.stubEnv("CDK_DOCKER", "false"); // no images are built
  const printed = { out: "", err: "" };
  const code = await main(args, {
    out: (text) => void (printed.out += `${text}\n`),
    err: (text) => void (printed.err += `${text}\n`),
  });
  return { code, ...printed };
}

const xmlError = (code: string, message: string): string =>
  `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

test("npm run deploy stops in a region without bootstrap, and shows what it cannot check", async () => {
  const missing = xmlError("ValidationError", "Stack with id x does not exist");
  const { code, out, err } = await deploy(400, missing, "--context", "stage=dev", "--context=largeBodies=off");
  expect(out).toMatch(/^Preflight of the account in eu-central-1:$/m);
  expect(out).toMatch(/^STOP {5}bootstrap +this region has no CDK bootstrap; run npm run bootstrap$/m);
  expect(out).toMatch(/^ok {7}AgentRunService-dev +will be created$/m);
  expect(out).toMatch(/^unknown {2}Lambda concurrency +ValidationError: Stack with id x does not exist$/m);
  expect(out).toMatch(/^note {5}images +neither Docker nor Podman works on this machine/m);
  expect(err).toBe("deploy: nothing was deployed; correct what is marked STOP above (1)\n");
  expect(code).toBe(1);
});

test("npm run deploy stops when AWS rejects the credentials, or a setting is invalid", async () => {
  const expired = await deploy(403, xmlError("ExpiredToken", "The security token is expired"));
  expect(expired).toMatchObject({ code: 1, out: "" });
  expect(expired.err).toMatch(/^deploy: AWS rejects the credentials \(ExpiredToken: .*log in with the AWS CLI\n$/);
  const invalid = await deploy(500, "", "-c", "sandbox=maybe");
  expect(invalid).toMatchObject({ code: 1, out: "" });
  expect(invalid.err).toMatch(
    /^deploy: Invalid settings.*\n +sandbox: received "maybe"; accepted: linux or javascript or off\n$/,
  );
});

test.each([
  [["--exclusively", "AgentRunFrontDoor-prod"], "--exclusively is not supported; use npx cdk deploy --exclusively"],
  [["AgentRunFrontDoor-prod", "-e"], "-e is not supported; use npx cdk deploy -e"],
  [["-cstage=dev"], "-cstage=dev is not supported; write -c stage=dev"],
  [["AgentRun*"], "AgentRun* is a pattern, which is not supported; name the stack"],
])("npm run deploy rejects arguments that its checks do not follow: %j", async (args, error) => {
  const { code, out, err } = await deploy(500, "", ...args);
  expect(err).toContain(`deploy: ${error}`);
  expect({ code, out }).toEqual({ code: 1, out: "" });
});

test("every chapter that npm run deploy names exists", () => {
  const sources = ["main", "preflight", "images", "failure"]
    .map((name) => readFileSync(`bin/deploy/${name}.ts`, "utf8"))
    .join("");
  const links = [...sources.matchAll(/(docs\/\w+\.md|\$\{runbook\})#([\w-]+)/g)];
  expect(links.length).toBeGreaterThan(3);
  for (const [, file = "", anchor] of links) {
    const document = readFileSync(file.replace("${runbook}", runbook), "utf8");
    const chapters = [...document.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    expect(chapters).toContain(anchor);
  }
});
