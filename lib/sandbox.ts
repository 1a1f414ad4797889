import { Validations } from "aws-cdk-lib";
import { type IVpc, SecurityGroup, SubnetType, Vpc } from "aws-cdk-lib/aws-ec2";
import { Effect } from "aws-cdk-lib/aws-iam";
import { type Function, TenancyConfig } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { acknowledgeWildcard, grant, serviceFunction } from "./service-function.ts";
import { bundleSandbox } from "./sandbox-bundle.ts";
import type { zonesOf } from "./settings.ts";

/** What Lambda needs of a function's role to connect it to a VPC, by AWS's own policy for it. */
const networkInterfaces = [
  "ec2:AssignPrivateIpAddresses",
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:UnassignPrivateIpAddresses",
];

interface SandboxProps {
  logRetention: RetentionDays;
  zones: ReturnType<typeof zonesOf>;
}

/**
 * Programs that models wrote, in a function that may do nothing and reach nothing. Without reserved concurrency: it is
 * called by `advance` alone, and a new account has 10 executions at a time, of which none can be reserved.
 */
export class Sandbox extends Construct {
  readonly #function: Function;

  constructor(scope: Construct, id: string, { logRetention, zones }: SandboxProps) {
    super(scope, id);
    const vpc = withoutWayOut(this, zones);
    this.#function = serviceFunction(this, "Function", {
      entry: "run-program",
      write: bundleSandbox,
      description: "Runs a program that a model wrote over the files it is given",
      memory: 1769, // one whole processor; a shell may use 640 MB while processes of other engines wait
      seconds: 90, // 60 for a program, 20 for loading its engine, and both messages
      logRetention,
      network: {
        vpc,
        vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
        securityGroups: [new SecurityGroup(this, "Group", { vpc, allowAllOutbound: false })],
      },
      // The tenant of a call is its agent: what one API key can't read, no program of its agent finds here either.
      tenancy: TenancyConfig.PER_TENANT,
    });
    // Lambda makes the interfaces with the function's role, but not as its code: only that has a source function.
    grant(
      this.#function,
      {},
      { actions: networkInterfaces, resources: ["*"] },
      {
        effect: Effect.DENY,
        actions: networkInterfaces,
        resources: ["*"],
        conditions: { Null: { "lambda:SourceFunctionArn": "false" } },
      },
    );
    const reason =
      "Lambda makes and looks for interfaces that have no name before; the code itself is denied all of it.";
    acknowledgeWildcard(this.#function.role ?? this.#function, "*", reason);
  }

  /** The function may have programs run. */
  grantRun(fn: Function): void {
    const { functionName, functionArn } = this.#function;
    grant(fn, { SANDBOX_FUNCTION: functionName }, { actions: ["lambda:InvokeFunction"], resources: [functionArn] });
  }
}

/** A network without gateway, endpoint or names: it costs nothing, and nothing in it can connect to anything. */
function withoutWayOut(scope: Construct, zones: SandboxProps["zones"]): IVpc {
  const vpc = new Vpc(scope, "Vpc", {
    ...zones,
    natGateways: 0,
    subnetConfiguration: [{ name: "Isolated", subnetType: SubnetType.PRIVATE_ISOLATED }],
    // Security groups do not hold for the VPC's own name server, which asks the internet: names can carry data.
    enableDnsSupport: false,
    enableDnsHostnames: false,
    restrictDefaultSecurityGroup: false, // would take a function with rights to change it, and nothing is in it
  });
  Validations.of(vpc).acknowledge({
    id: "AwsSolutions-VPC7",
    reason: "Nothing can flow: it has one function in it, whose group lets nothing out, and no gateway.",
  });
  return vpc as IVpc; // CDK's interface has optional properties where its class has undefined ones
}
