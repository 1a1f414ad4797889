import cdkJson from "../../cdk.json" with { type: "json" };
import { idleBill, dollars, ofType, total } from "../../lib/idle-cost.ts";
import { type SynthesizedStack, synthesizeWithoutCode } from "../../lib/service-app.ts";
import type { Settings } from "../../lib/settings.ts";
import { CliError } from "../cli.ts";

/** What `cdk deploy` will deploy. */
export interface Plan {
  settings: Settings;
  service: SynthesizedStack;
  /** Absent with `largeBodies` `off`, or if the arguments name only the service. */
  frontDoor?: SynthesizedStack;
  /** Absent with `console` `off`, or if the arguments name other stacks only. */
  webConsole?: SynthesizedStack;
  /** Service, front door and console, in this order. */
  stacks: SynthesizedStack[];
  /** They were synthesized before, as `--assembly`: nothing of them can follow the account. */
  isPrepared?: true;
}

/**
 * Synthesizes the stacks that `cdk deploy` will deploy with these arguments. Settings outside of this project
 * (`~/.cdk.json`) are not read. Throws if a setting is invalid, or an argument would deploy something else.
 */
export function planOf(args: string[]): Plan {
  return planFrom(synthesizeWithoutCode(contextOf(args)), args);
}

/** The settings of a deployment: those of `cdk.json`, overridden by the arguments. */
export function contextOf(args: string[]): Record<string, unknown> {
  const given = optionsOf(args, "--context", "-c").map((setting) => {
    const [name = "", ...value] = setting.split("=");
    return [name, value.join("=")] as const;
  });
  return { ...cdkJson.context, ...Object.fromEntries(given) };
}

interface AllStacks extends Pick<Plan, "settings" | "service"> {
  frontDoor?: SynthesizedStack | undefined;
  webConsole?: SynthesizedStack | undefined;
}

/** The plan of a deployment of these stacks: those that the arguments name, or all. */
export function planFrom(all: AllStacks, args: string[]): Plan {
  args.forEach(rejectArgument);
  const { settings, service } = all;
  const isNamed = (stack: SynthesizedStack | undefined): boolean => stack !== undefined && args.includes(stack.name);
  const namesNone = ![service, all.frontDoor, all.webConsole].some(isNamed);
  // CDK deploys the stacks before a named one with it, but not those after it.
  const webConsole = namesNone || isNamed(all.webConsole) ? all.webConsole : undefined;
  const frontDoor = namesNone || webConsole || isNamed(all.frontDoor) ? all.frontDoor : undefined;
  const stacks = [service, frontDoor, webConsole].filter((stack) => stack !== undefined);
  return { settings, service, ...(frontDoor && { frontDoor }), ...(webConsole && { webConsole }), stacks };
}

/** Rejects what `cdk deploy` accepts, but the plan does not follow: the checks would be those of another deployment. */
function rejectArgument(arg: string): void {
  if (/^(-e|--exclusively)(=|$)/.test(arg)) {
    throw new CliError(
      `${arg} is not supported; use npx cdk deploy ${arg}, which deploys without the checks and the test`,
    );
  }
  if (/^-c[^=]/.test(arg)) throw new CliError(`${arg} is not supported; write -c ${arg.slice(2)}`);
  if (/^(?!-)[^=]*[*?]/.test(arg)) {
    throw new CliError(`${arg} is a pattern, which is not supported; name the stack, or name none to deploy all`);
  }
}

/** The values of an option that `cdk deploy` takes: `--name value` or `--name=value`. */
export function optionsOf(args: string[], ...names: string[]): string[] {
  return args.flatMap((arg, index) => {
    const [name = "", ...value] = arg.split("=");
    if (!names.includes(name)) return [];
    return arg.includes("=") ? [value.join("=")] : args.slice(index + 1, index + 2);
  });
}

/** Resource types that an operator knows by these names. The others belong to them. */
const kinds: Record<string, string> = {
  "AWS::CloudFront::Distribution": "CloudFront distribution",
  "AWS::Lambda::WebFunction": "web function",
  "AWS::ECS::Service": "Fargate service",
  "AWS::ElasticLoadBalancingV2::LoadBalancer": "load balancer",
  "AWS::ApiGatewayV2::Api": "HTTP API",
  "AWS::Lambda::Function": "function",
  "AWS::StepFunctions::StateMachine": "state machine",
  "AWS::DynamoDB::GlobalTable": "table",
  "AWS::S3::Bucket": "bucket",
  "AWS::SecretsManager::Secret": "secret",
  "AWS::Cognito::UserPool": "user pool",
  "AWS::EC2::VPC": "VPC",
  "AWS::CloudWatch::Alarm": "alarm",
  "AWS::CloudWatch::Dashboard": "dashboard",
};

/** The stacks with their main resources, and the cost of the deployment without requests, as lines of text. */
export function describePlan({ service, frontDoor, webConsole, stacks }: Plan): string[] {
  const resources = stacks.map(({ name, resources: all }) => {
    const counts = Object.entries(kinds).flatMap(([type, kind]) => {
      const count = ofType(all, type).length;
      return count === 0 ? [] : `${count} ${kind}${count === 1 ? "" : "s"}`;
    });
    return [name, counts.join(", ")] as const;
  });
  const bill = idleBill({
    service: service.resources,
    frontDoor: frontDoor?.resources,
    webConsole: webConsole?.resources,
  });
  const costs = [...Object.entries(bill), ["total", total(bill)] as const];
  return [
    "What the stacks contain:",
    ...columns(resources),
    "",
    "US dollars a month without requests (us-east-1, list prices; docs/cost.md has the rest):",
    ...columns(costs.map(([item, amount]) => [item, dollars(amount)])),
  ];
}

function columns(rows: (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`);
}
