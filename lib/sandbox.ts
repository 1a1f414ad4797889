import { Aws, Validations } from "aws-cdk-lib";
import { type IVpc, SecurityGroup, SubnetType, Vpc } from "aws-cdk-lib/aws-ec2";
import { Effect } from "aws-cdk-lib/aws-iam";
import { type Function, TenancyConfig } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { acknowledgeWildcard, grant, serviceFunction } from "./service-function.ts";
import { bundleSandbox } from "./bundling.ts";
import type { zonesOf } from "./settings.ts";

/** Actions that Lambda needs to connect a function to a VPC, from AWS's policy AWSLambdaVPCAccessExecutionRole. */
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
 * Runs model-written programs in a function without permissions and without network. It has no reserved concurrency:
 * only `advance` calls it, and a new account has 10 concurrent executions, none of which can be reserved.
 */
export class Sandbox extends Construct {
  readonly #function: Function;

  constructor(scope: Construct, id: string, { logRetention, zones }: SandboxProps) {
    super(scope, id);
    const vpc = isolatedVpc(this, zones);
    this.#function = serviceFunction(this, "Function", {
      entry: "run-program",
      write: bundleSandbox,
      description: "Runs a model-written program on the files in the request",
      memory: 1769, // one full vCPU; a shell can use 896 MB while idle processes of other engines are resident
      seconds: 90, // 60 for the program, 20 to load its engine, and the transfer of request and response
      logRetention,
      network: {
        vpc,
        vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
        securityGroups: [new SecurityGroup(this, "Group", { vpc, allowAllOutbound: false })],
      },
      // The tenant is the agent. A program cannot find data of another agent in a reused environment.
      tenancy: TenancyConfig.PER_TENANT,
    });
    // Lambda itself creates the interfaces with the function's role. Calls by the function's code are denied: only they
    // have a source function ARN.
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
      "Lambda creates and finds interfaces without known names. A second statement denies the function's code these actions.";
    acknowledgeWildcard(this.#function.role ?? this.#function, "*", reason);
  }

  /** Lets the function run programs in the sandbox. */
  grantRun(fn: Function): void {
    const { functionName, functionArn } = this.#function;
    const endpoint = `https://lambda.${Aws.REGION}.${Aws.URL_SUFFIX}`;
    grant(
      fn,
      { SANDBOX_FUNCTION: functionName, SANDBOX_ENDPOINT: endpoint },
      { actions: ["lambda:InvokeFunction"], resources: [functionArn] },
    );
  }
}

/** VPC without internet gateway, endpoints or DNS. It is free, and nothing in it can connect to anything. */
function isolatedVpc(scope: Construct, zones: SandboxProps["zones"]): IVpc {
  const vpc = new Vpc(scope, "Vpc", {
    ...zones,
    natGateways: 0,
    subnetConfiguration: [{ name: "Isolated", subnetType: SubnetType.PRIVATE_ISOLATED }],
    // Security groups do not apply to the VPC's DNS server, which forwards queries to the internet. Queries can carry data.
    enableDnsSupport: false,
    enableDnsHostnames: false,
    restrictDefaultSecurityGroup: false, // would deploy a function with permission to change it; nothing uses the group
  });
  Validations.of(vpc).acknowledge({
    id: "AwsSolutions-VPC7",
    reason: "There is no traffic to log: no gateway, and one function whose security group blocks outbound traffic.",
  });
  return vpc as IVpc; // CDK's class declares `| undefined` properties where its interface declares optional ones
}
