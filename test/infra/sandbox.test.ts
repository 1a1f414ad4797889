import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { sandboxLimits } from "../../src/sandbox/limits.ts";
import { short, synthesize } from "./synth.ts";

const { all, template } = synthesize();
const [, sandbox = {}] = all("AWS::Lambda::Function").find(([name]) => name === "SandboxFunction") ?? [];

interface Statement {
  Effect: string;
  Action: string[];
  Resource: unknown;
  Condition?: unknown;
}

/** All policy statements of a role. */
function statementsOf(role: unknown): Statement[] {
  const [name] = /(?<=<).+(?=\.Arn>)/.exec(String(short(role))) ?? [];
  return all("AWS::IAM::Policy")
    .filter(([, { Roles }]) => JSON.stringify(short(Roles)).includes(`<${name}>`))
    .flatMap(([, { PolicyDocument }]) => (short(PolicyDocument) as { Statement: Statement[] }).Statement);
}

describe("the sandbox's function", () => {
  test("can write its log; its code is denied the actions that Lambda needs to connect it to its VPC", () => {
    const allowed = statementsOf(sandbox["Role"]).filter(({ Effect }) => Effect === "Allow");
    const denied = statementsOf(sandbox["Role"]).filter(({ Effect }) => Effect === "Deny");
    const [log, network] = allowed;
    expect(allowed).toHaveLength(2);
    expect(log).toMatchObject({
      Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
      Resource: "<SandboxFunctionLog.Arn>",
    });
    expect(
      network?.Action.filter((action) => !/^ec2:.*(NetworkInterfaces?|Subnets|PrivateIpAddresses)$/.test(action)),
    ).toEqual([]);
    expect(denied).toEqual([
      { ...network, Effect: "Deny", Condition: { Null: { "lambda:SourceFunctionArn": "false" } } },
    ]);
  });

  test("has no network: no gateway, no endpoint, no DNS, and a security group without outbound rules", () => {
    expect(short(sandbox["VpcConfig"])).toEqual({
      SecurityGroupIds: ["<SandboxGroup.GroupId>"],
      SubnetIds: ["<SandboxVpcIsolatedSubnet1Subnet>", "<SandboxVpcIsolatedSubnet2Subnet>"],
    });
    template.hasResourceProperties("AWS::EC2::VPC", { EnableDnsSupport: false, EnableDnsHostnames: false });
    // CDK replaces AWS's default rule, which allows all outbound traffic, with this one, which matches nothing.
    template.allResourcesProperties("AWS::EC2::SecurityGroup", {
      SecurityGroupIngress: Match.absent(),
      SecurityGroupEgress: [Match.objectLike({ CidrIp: "255.255.255.255/32", IpProtocol: "icmp" })],
    });
    const types = new Set(Object.values(template.toJSON()["Resources"] as { Type: string }[]).map(({ Type }) => Type));
    expect([...types].filter((type) => type.startsWith("AWS::EC2::")).toSorted()).toEqual([
      "AWS::EC2::RouteTable",
      "AWS::EC2::SecurityGroup",
      "AWS::EC2::Subnet",
      "AWS::EC2::SubnetRouteTableAssociation",
      "AWS::EC2::VPC",
    ]);
  });

  test("never shares an execution environment between tenants", () => {
    expect(sandbox["TenancyConfig"]).toEqual({ TenantIsolationMode: "PER_TENANT" });
    const others = all("AWS::Lambda::Function").filter(([, properties]) => "TenancyConfig" in properties);
    expect(others).toHaveLength(1);
  });

  test("has time for the longest program, and reserves no concurrency", () => {
    expect(sandbox["Timeout"]).toBeGreaterThanOrEqual(sandboxLimits.maxSeconds + 30);
    expect(sandbox).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  test("is called only by advance", () => {
    const callers = all("AWS::IAM::Policy").filter(([, { PolicyDocument }]) =>
      (short(PolicyDocument) as { Statement: Statement[] }).Statement.some(
        ({ Action, Resource }) =>
          [Action].flat().includes("lambda:InvokeFunction") && JSON.stringify(Resource).includes("SandboxFunction"),
      ),
    );
    expect(callers.map(([name]) => name)).toEqual(["AdvanceRoleDefaultPolicy"]);
    expect(JSON.stringify(short(all("AWS::Lambda::Permission")))).not.toContain("SandboxFunction");
  });
});

/** Names of advance's environment variables. */
function advanceEnv({ all: found }: ReturnType<typeof synthesize>): string[] {
  const [, advance = {}] = found("AWS::Lambda::Function").find(([name]) => name === "Advance") ?? [];
  return Object.keys((advance["Environment"] as { Variables: object }).Variables);
}

describe("settings", () => {
  test("sandbox: off removes the function, its VPC and the permission to call it", () => {
    const without = synthesize({ context: { sandbox: "off" } });
    expect(JSON.stringify(without.template.toJSON())).not.toMatch(/SandboxFunction|AWS::EC2/);
    expect(advanceEnv(without).filter((name) => name.startsWith("SANDBOX"))).toEqual([]);
    expect(new AwsSolutionsChecks(without.app).validateScope(without.app).violations).toEqual([]);
  });

  test("advance calls Lambda's endpoint in its region, whose domain depends on the partition", () => {
    const [, advance] =
      synthesize()
        .all("AWS::Lambda::Function")
        .find(([name]) => name === "Advance") ?? [];
    const { SANDBOX_ENDPOINT } = (short(advance?.["Environment"]) as { Variables: Record<string, string> }).Variables;
    expect(SANDBOX_ENDPOINT).toBe("https://lambda.<AWS::Region>.<AWS::URLSuffix>");
  });

  test("availabilityZones: sets the zones of its VPC", () => {
    const { all: found } = synthesize({ context: { availabilityZones: "us-east-1c,us-east-1d" } });
    const zones = found("AWS::EC2::Subnet").map(([, { AvailabilityZone }]) => AvailabilityZone);
    expect(zones).toEqual(["us-east-1c", "us-east-1d"]);
  });

  test("privateAddresses: allowed is passed to advance", () => {
    expect(advanceEnv(synthesize())).not.toContain("PRIVATE_ADDRESSES");
    const allowed = synthesize({ context: { privateAddresses: "allowed" } });
    allowed.template.hasResourceProperties("AWS::Lambda::Function", {
      Environment: { Variables: Match.objectLike({ PRIVATE_ADDRESSES: "allowed" }) },
    });
  });

  test("otlpEndpoint: is passed to advance only", () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com" };
    expect(advanceEnv(synthesize())).not.toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
    const { template: traced, all: found } = synthesize({
      context: { otlpEndpoint: endpoint.OTEL_EXPORTER_OTLP_ENDPOINT },
    });
    expect(JSON.stringify(traced.toJSON()).split("OTEL_EXPORTER")).toHaveLength(2);
    const [, advance = {}] = found("AWS::Lambda::Function").find(([name]) => name === "Advance") ?? [];
    expect(advance).toMatchObject({ Environment: { Variables: endpoint } });
  });
});
