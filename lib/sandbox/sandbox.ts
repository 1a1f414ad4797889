import { Tags, Validations } from "aws-cdk-lib";
import {
  type CfnSecurityGroup,
  GatewayVpcEndpointAwsService,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  Subnet,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type Function, TenancyConfig } from "aws-cdk-lib/aws-lambda";
import { Construct, type IConstruct } from "constructs";
import { objectPrefixes } from "../../src/platform/aws/dynamodb/table.ts";
import { transferSeconds } from "../../src/platform/aws/s3/transfer-seconds.ts";
import { programSeconds } from "../../src/sandbox/linux/linux-limits.ts";
import { bundleSandbox } from "../bundling.ts";
import { environmentImage } from "./environment-image.ts";
import { acknowledgeWildcard, grant, serviceFunction } from "../service-function.ts";
import { type Settings, zonesOf } from "../settings.ts";
import type { Storage } from "../storage.ts";

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
  settings: Settings;
  storage: Storage;
  /** The function whose signed requests the functions of the environments send. */
  signer: Function;
}

/**
 * Runs model-written programs in functions without permissions and without network, but for the objects that a caller signed
 * requests for. They have no reserved concurrency: only `advance` calls them, and a new account has 10 concurrent executions,
 * none of which can be reserved.
 */
export class Sandbox extends Construct {
  readonly #network: { vpc: IVpc; group: SecurityGroup };
  readonly #props: SandboxProps;
  /** Runs JavaScript. */
  readonly #default: Function;
  readonly #environments: Record<string, { fn: Function; image: string }> = {};

  constructor(scope: Construct, id: string, props: SandboxProps) {
    super(scope, id);
    const { settings } = props;
    this.#props = props;
    const vpc = isolatedVpc(this, settings);
    this.#network = { vpc, group: newGroup(this, vpc) };
    if (settings.sandbox === "javascript") {
      this.#default = this.#newFunction("Function", {
        entry: "run-program",
        write: bundleSandbox,
        description: "Runs a model-written program on the files in the request",
        memory: 1769, // one full vCPU; Python can use 896 MB while idle processes of other engines are resident
        seconds: 90, // 60 for the program, 20 to load its engine, and the transfer of request and response
      });
      return;
    }
    this.#connectToStorage();
    for (const [name, source] of Object.entries(settings.environments)) {
      const image = environmentImage(this, name, source, settings.sandboxArchitecture);
      const fn = this.#newFunction(`Environment-${name}`, {
        image,
        description: `Runs a model-written program in the Linux environment ${name}`,
        memory: 2_048, // of which 320 are for the function itself. 1,769 MB have one vCPU,
        storage: 4_096, // for the files of a workspace, and what a program writes,
        seconds: transferSeconds.read + programSeconds.maxSeconds + transferSeconds.store,
      });
      this.#environments[name] = { fn, image: image.id };
    }
    this.#default = this.#environments["linux"]?.fn as Function; // the settings require this environment
  }

  #newFunction(
    id: string,
    props: Pick<
      Parameters<typeof serviceFunction>[2],
      "entry" | "write" | "image" | "description" | "memory" | "storage" | "seconds"
    >,
  ): Function {
    const { settings } = this.#props;
    const { vpc, group } = this.#network;
    const fn = serviceFunction(this, id, {
      ...props,
      network: { vpc, vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED }, securityGroups: [group] },
      // The tenant is the agent. A program cannot find data of another agent in a reused environment.
      ...(settings.sandboxTenancy === "on" && { tenancy: TenancyConfig.PER_TENANT }),
    });
    // Lambda itself creates the interfaces with the function's role. Calls by the function's code are denied: only they
    // have a source function ARN.
    grant(
      fn,
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
    acknowledgeWildcard(fn.role ?? fn, "*", reason);
    return fn;
  }

  /** A route to S3, for requests that `signer` signed: to read contents of runs, and to stage new ones. */
  #connectToStorage(): void {
    const { storage, signer, settings } = this.#props;
    const { vpc, group } = this.#network;
    const { bucketArn } = storage.bucket;
    const endpoint = vpc.addGatewayEndpoint("Storage", { service: GatewayVpcEndpointAwsService.S3 });
    const statement = (action: string, prefixes: string[]) =>
      new PolicyStatement({
        principals: [new AnyPrincipal()], // the policy of a gateway endpoint names callers in a condition only
        actions: [action],
        resources: prefixes.map((prefix) => `${bucketArn}/${prefix}*`),
        conditions: { StringEquals: { "aws:PrincipalArn": signer.role?.roleArn } },
      });
    endpoint.addToPolicy(statement("s3:GetObject", [objectPrefixes.workspaces, objectPrefixes.staging]));
    endpoint.addToPolicy(statement("s3:PutObject", [objectPrefixes.staging]));
    // The endpoint's route is the only one. Without the prefix list, the rule relies on that.
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), "S3, which the subnets have their only route to");
    if (settings.s3PrefixList === "") return;
    // CDK would make a resource of its own of this rule, and leave AWS's default rule in the group, which allows everything.
    const rules = group.node.defaultChild as CfnSecurityGroup;
    rules.addPropertyDeletionOverride("SecurityGroupEgress.0.CidrIp");
    rules.addPropertyOverride("SecurityGroupEgress.0.DestinationPrefixListId", settings.s3PrefixList);
  }

  /** Ids of the images of the environments, by name. */
  get images(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#environments).map(([name, { image }]) => [name, image]));
  }

  /** Lets the function run programs in the sandbox. */
  grantRun(fn: Function): void {
    const { settings, storage } = this.#props;
    const functions = new Set([this.#default, ...Object.values(this.#environments).map((each) => each.fn)]);
    grant(
      fn,
      {
        SANDBOX_FUNCTION: this.#default.functionName,
        ...(settings.sandboxTenancy === "off" && { SANDBOX_TENANCY: settings.sandboxTenancy }),
      },
      { actions: ["lambda:InvokeFunction"], resources: [...functions].map(({ functionArn }) => functionArn) },
    );
    if (settings.sandbox !== "linux") return;
    const environments = Object.entries(this.#environments).map(
      ([
        name,
        {
          fn: { functionName },
          image,
        },
      ]) => [name, { functionName, image }],
    );
    // Not by `Stack.toJsonString`, which needs a custom resource for some tokens: a function's name has no quotes.
    grant(fn, {
      SANDBOX_ENVIRONMENTS: JSON.stringify(Object.fromEntries(environments)),
    });
    storage.grantObjects(fn, { read: ["environments"], write: ["environments"] });
  }
}

/** VPC without internet gateway and DNS. It is free, and nothing in it can connect to anything but its endpoints. */
function isolatedVpc(scope: Construct, settings: Settings): IVpc {
  const vpc = new Vpc(scope, "Vpc", {
    ...zonesOf(settings),
    natGateways: 0,
    subnetConfiguration: [{ name: "Isolated", subnetType: SubnetType.PRIVATE_ISOLATED }],
    // Security groups do not apply to the VPC's DNS server, which forwards queries to the internet. Queries can carry data.
    enableDnsSupport: false,
    enableDnsHostnames: false,
    restrictDefaultSecurityGroup: false, // would deploy a function with permission to change it; nothing uses the group
  });
  Validations.of(vpc).acknowledge({
    id: "AwsSolutions-VPC7",
    reason: "There is no traffic to log but that to S3: no gateway, and a security group that blocks everything else.",
  });
  for (const each of vpc.node.findAll().filter((part) => part === vpc || part instanceof Subnet)) {
    Tags.of(each).add("Name", pathOf(each), { priority: 200 }); // CDK's own tag has 100
  }
  return vpc as IVpc; // CDK's class declares `| undefined` properties where its interface declares optional ones
}

/** A security group is replaced if its description changes. */
function newGroup(scope: Construct, vpc: IVpc): SecurityGroup {
  return new SecurityGroup(scope, "Group", { vpc, allowAllOutbound: false, description: `${pathOf(scope)}/Group` });
}

/** The path without the id `Default`, as in the stacks of releases in which the service was no construct. */
function pathOf({ node }: IConstruct): string {
  return node.path.replaceAll("/Default/", "/");
}
