import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { sandboxLimits } from "../../src/sandbox/limits.ts";
import { short, synthesise } from "./synth.ts";

const { all, template } = synthesise();
const [, sandbox = {}] = all("AWS::Lambda::Function").find(([name]) => name === "SandboxFunction") ?? [];

interface Statement {
  Effect: string;
  Action: string[];
  Resource: unknown;
  Condition?: unknown;
}

/** All statements of the policies that hold for a role. */
function statementsOf(role: unknown): Statement[] {
  const [name] = /(?<=<).+(?=\.Arn>)/.exec(String(short(role))) ?? [];
  return all("AWS::IAM::Policy")
    .filter(([, { Roles }]) => JSON.stringify(short(Roles)).includes(`<${name}>`))
    .flatMap(([, { PolicyDocument }]) => (short(PolicyDocument) as { Statement: Statement[] }).Statement);
}

describe("the sandbox's function", () => {
  test("may write its log; what Lambda needs to connect it to its network is denied to its code", () => {
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

  test("reaches nothing: no gateway, no endpoint, no name server, and a group that lets nothing out", () => {
    expect(short(sandbox["VpcConfig"])).toEqual({
      SecurityGroupIds: ["<SandboxGroup.GroupId>"],
      SubnetIds: ["<SandboxVpcIsolatedSubnet1Subnet>", "<SandboxVpcIsolatedSubnet2Subnet>"],
    });
    template.hasResourceProperties("AWS::EC2::VPC", { EnableDnsSupport: false, EnableDnsHostnames: false });
    // The one rule is what CDK puts in place of AWS's default, which lets everything out: it matches nothing.
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

  test("shares no environment between two tenants", () => {
    expect(sandbox["TenancyConfig"]).toEqual({ TenantIsolationMode: "PER_TENANT" });
    const others = all("AWS::Lambda::Function").filter(([, properties]) => "TenancyConfig" in properties);
    expect(others).toHaveLength(1);
  });

  test("has time for the longest program, and reserves nothing of the account's concurrency", () => {
    expect(sandbox["Timeout"]).toBeGreaterThanOrEqual(sandboxLimits.maxSeconds + 30);
    expect(sandbox).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  test("is called by advance alone", () => {
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

/** The names in advance's environment. */
function advanceEnv({ all: found }: ReturnType<typeof synthesise>): string[] {
  const [, advance = {}] = found("AWS::Lambda::Function").find(([name]) => name === "Advance") ?? [];
  return Object.keys((advance["Environment"] as { Variables: object }).Variables);
}

describe("settings", () => {
  test("sandbox: off leaves out the function, its network and the right to call it", () => {
    const without = synthesise({ context: { sandbox: "off" } });
    expect(JSON.stringify(without.template.toJSON())).not.toMatch(/SandboxFunction|AWS::EC2/);
    expect(advanceEnv(without)).not.toContain("SANDBOX_FUNCTION");
    expect(new AwsSolutionsChecks(without.app).validateScope(without.app).violations).toEqual([]);
  });

  test("availabilityZones: its network is in these two", () => {
    const { all: found } = synthesise({ context: { availabilityZones: "us-east-1c,us-east-1d" } });
    const zones = found("AWS::EC2::Subnet").map(([, { AvailabilityZone }]) => AvailabilityZone);
    expect(zones).toEqual(["us-east-1c", "us-east-1d"]);
  });

  test("privateAddresses: allowed is told to advance", () => {
    expect(advanceEnv(synthesise())).not.toContain("PRIVATE_ADDRESSES");
    const allowed = synthesise({ context: { privateAddresses: "allowed" } });
    allowed.template.hasResourceProperties("AWS::Lambda::Function", {
      Environment: { Variables: Match.objectLike({ PRIVATE_ADDRESSES: "allowed" }) },
    });
  });

  test("otlpEndpoint: advance knows where traces go, and nobody else does", () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example.com" };
    expect(advanceEnv(synthesise())).not.toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
    const { template: traced, all: found } = synthesise({
      context: { otlpEndpoint: endpoint.OTEL_EXPORTER_OTLP_ENDPOINT },
    });
    expect(JSON.stringify(traced.toJSON()).split("OTEL_EXPORTER")).toHaveLength(2);
    const [, advance = {}] = found("AWS::Lambda::Function").find(([name]) => name === "Advance") ?? [];
    expect(advance).toMatchObject({ Environment: { Variables: endpoint } });
  });
});
