import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { overheadSeconds } from "../../src/platform/aws/linux.ts";
import { overheadSeconds as documentOverhead } from "../../src/platform/aws/sandbox.ts";
import { sandboxLimits } from "../../src/sandbox/program-limits.ts";
import { programSeconds } from "../../src/sandbox/linux/linux-limits.ts";
import { abortSeconds, advanceSeconds, leaseWaitSeconds } from "../../src/workflow/policy.ts";
import { short, synthesize } from "./synth.ts";

const { all, template } = synthesize();
const [, sandbox = {}] = all("AWS::Lambda::Function").find(([name]) => name === "SandboxEnvironmentlinux") ?? [];

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
      Resource: "<SandboxEnvironmentlinuxLog.Arn>",
    });
    expect(
      network?.Action.filter((action) => !/^ec2:.*(NetworkInterfaces?|Subnets|PrivateIpAddresses)$/.test(action)),
    ).toEqual([]);
    expect(denied).toEqual([
      { ...network, Effect: "Deny", Condition: { Null: { "lambda:SourceFunctionArn": "false" } } },
    ]);
  });

  test("has no network but HTTPS to S3: no gateway, no DNS, and one route", () => {
    expect(short(sandbox["VpcConfig"])).toEqual({
      SecurityGroupIds: ["<SandboxGroup.GroupId>"],
      SubnetIds: ["<SandboxVpcIsolatedSubnet1Subnet>", "<SandboxVpcIsolatedSubnet2Subnet>"],
    });
    template.hasResourceProperties("AWS::EC2::VPC", { EnableDnsSupport: false, EnableDnsHostnames: false });
    const https = { IpProtocol: "tcp", FromPort: 443, ToPort: 443 };
    template.allResourcesProperties("AWS::EC2::SecurityGroup", {
      SecurityGroupIngress: Match.absent(),
      SecurityGroupEgress: [Match.objectLike({ ...https, CidrIp: "0.0.0.0/0" })],
    });
    expect(networkTypes(template)).toEqual([
      "AWS::EC2::RouteTable",
      "AWS::EC2::SecurityGroup",
      "AWS::EC2::Subnet",
      "AWS::EC2::SubnetRouteTableAssociation",
      "AWS::EC2::VPC",
      "AWS::EC2::VPCEndpoint",
    ]);
    const listed = synthesize({ context: { s3PrefixList: "pl-6ea54007" } });
    listed.template.allResourcesProperties("AWS::EC2::SecurityGroup", {
      SecurityGroupEgress: [
        { ...https, CidrIp: Match.absent(), DestinationPrefixListId: "pl-6ea54007", Description: Match.anyValue() },
      ],
    });
    expect(networkTypes(listed.template)).toEqual(networkTypes(template));
  });

  test("reaches only objects of the bucket for which advance has signed a request", () => {
    const [[, endpoint] = ["", {}], ...others] = all("AWS::EC2::VPCEndpoint");
    expect(others).toEqual([]);
    expect(endpoint["VpcEndpointType"]).toBe("Gateway");
    const signedByAdvance = { StringEquals: { "aws:PrincipalArn": "<AdvanceRole.Arn>" } };
    const anyone = { Effect: "Allow", Principal: { AWS: "*" }, Condition: signedByAdvance };
    expect((short(endpoint["PolicyDocument"]) as { Statement: unknown }).Statement).toEqual([
      {
        ...anyone,
        Action: "s3:GetObject",
        Resource: ["<StorageBucket.Arn>/staging/*", "<StorageBucket.Arn>/workspaces/*"],
      },
      { ...anyone, Action: "s3:PutObject", Resource: "<StorageBucket.Arn>/staging/*" },
    ]);
  });

  test("is a container image with memory and disk, for the processor of the setting", () => {
    expect(sandbox).toMatchObject({ PackageType: "Image", MemorySize: 2_048, EphemeralStorage: { Size: 4_096 } });
    expect(sandbox).not.toHaveProperty("Handler");
    expect(sandbox).not.toHaveProperty("Environment");
    const context = { sandboxArchitecture: "x86_64" };
    synthesize({ context }).template.hasResourceProperties("AWS::Lambda::Function", {
      PackageType: "Image",
      Architectures: ["x86_64"],
    });
  });

  test("never shares an execution environment between tenants", () => {
    expect(sandbox["TenancyConfig"]).toEqual({ TenantIsolationMode: "PER_TENANT" });
    const others = all("AWS::Lambda::Function").filter(([, properties]) => "TenancyConfig" in properties);
    expect(others).toHaveLength(1);
  });

  test("shares environments between tenants only if an operator has chosen so, which advance then knows", () => {
    const shared = synthesize({ context: { sandboxTenancy: "off" } });
    expect(JSON.stringify(shared.template.toJSON())).not.toContain("TenancyConfig");
    expect(advanceEnv(shared)).toContain("SANDBOX_TENANCY");
    expect(advanceEnv(synthesize())).not.toContain("SANDBOX_TENANCY");
  });

  test("has time for the longest program, and advance for that and the rest of the call", () => {
    expect(sandbox["Timeout"]).toBe(programSeconds.maxSeconds + 120);
    expect(programSeconds.maxSeconds + overheadSeconds + leaseWaitSeconds + abortSeconds).toBeLessThan(advanceSeconds);
    expect(sandbox).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  test("is called only by advance", () => {
    const callers = all("AWS::IAM::Policy").filter(([, { PolicyDocument }]) =>
      (short(PolicyDocument) as { Statement: Statement[] }).Statement.some(
        ({ Action, Resource }) =>
          [Action].flat().includes("lambda:InvokeFunction") && JSON.stringify(Resource).includes("SandboxEnvironment"),
      ),
    );
    expect(callers.map(([name]) => name)).toEqual(["AdvanceRoleDefaultPolicy"]);
    expect(JSON.stringify(short(all("AWS::Lambda::Permission")))).not.toContain("SandboxEnvironment");
  });
});

describe("the function that reads documents", () => {
  const [, documents = {}] = all("AWS::Lambda::Function").find(([name]) => name === "Documents") ?? [];

  test("can only write its log, has no environment variables, and no reserved concurrency", () => {
    const actions = statementsOf(documents["Role"]).flatMap(({ Action }) => Action);
    expect(actions).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
    expect(documents).not.toHaveProperty("Environment");
    expect(documents).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  test("is called only by advance, which has time for the longest document", () => {
    const callers = all("AWS::IAM::Policy").filter(([, policy]) =>
      JSON.stringify(short(policy["PolicyDocument"])).includes("<Documents.Arn>"),
    );
    expect(callers.map(([name]) => name)).toEqual(["AdvanceRoleDefaultPolicy"]);
    expect(JSON.stringify(short(all("AWS::Lambda::Permission")))).not.toContain("<Documents");
    expect(documents["Timeout"]).toBe(sandboxLimits.documentSeconds + documentOverhead);
  });

  test("exists with every setting of the sandbox", () => {
    for (const sandboxSetting of ["off", "javascript", "linux"]) {
      const found = synthesize({ context: { sandbox: sandboxSetting } });
      expect(found.all("AWS::Lambda::Function").map(([name]) => name)).toContain("Documents");
      expect(advanceEnv(found)).toContain("DOCUMENTS_FUNCTION");
    }
  });
});

/** Names of advance's environment variables. */
function advanceEnv({ all: found }: ReturnType<typeof synthesize>): string[] {
  const [, advance = {}] = found("AWS::Lambda::Function").find(([name]) => name === "Advance") ?? [];
  return Object.keys((advance["Environment"] as { Variables: object }).Variables);
}

/** Types of the network resources. */
function networkTypes(from: typeof template): string[] {
  const types = Object.values(from.toJSON()["Resources"] as { Type: string }[]).map(({ Type }) => Type);
  return [...new Set(types)].filter((type) => type.startsWith("AWS::EC2::")).toSorted();
}

describe("settings", () => {
  test("sandbox: javascript has one function without an image, and no route at all", () => {
    const { all: found, template: javascript, app } = synthesize({ context: { sandbox: "javascript" } });
    const [, fn] = found("AWS::Lambda::Function").find(([name]) => name === "SandboxFunction") ?? [];
    expect(fn).toMatchObject({ Runtime: "nodejs24.x", TenancyConfig: { TenantIsolationMode: "PER_TENANT" } });
    expect(networkTypes(javascript)).not.toContain("AWS::EC2::VPCEndpoint");
    javascript.allResourcesProperties("AWS::EC2::SecurityGroup", {
      SecurityGroupEgress: [Match.objectLike({ CidrIp: "255.255.255.255/32", IpProtocol: "icmp" })],
    });
    expect(advanceEnv({ all: found } as ReturnType<typeof synthesize>)).not.toContain("SANDBOX_ENVIRONMENTS");
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  test("environments: each is a function, which advance finds by the name", () => {
    const image = `111122223333.dkr.ecr.eu-central-1.amazonaws.com/tools/data@sha256:${"0".repeat(64)}`;
    const { all: found, app } = synthesize({ context: { environments: { linux: "environment", data: image } } });
    const functions = found("AWS::Lambda::Function").filter(([, { PackageType }]) => PackageType === "Image");
    expect(functions.map(([name]) => name)).toEqual(["SandboxEnvironmentlinux", "SandboxEnvironmentdata"]);
    expect(short(functions[1]?.[1]["Code"])).toEqual({
      ImageUri: `111122223333.dkr.ecr.eu-central-1.<AWS::URLSuffix>/tools/data@sha256:${"0".repeat(64)}`,
    });
    const [, advance] = found("AWS::Lambda::Function").find(([name]) => name === "Advance") ?? [];
    const variables = (short(advance?.["Environment"]) as { Variables: Record<string, string> }).Variables;
    expect(JSON.parse(variables["SANDBOX_ENVIRONMENTS"] ?? "")).toEqual({
      linux: { functionName: "<SandboxEnvironmentlinux>", image: expect.stringMatching(/^[0-9a-f]{64}$/) },
      data: { functionName: "<SandboxEnvironmentdata>", image: `sha256-${"0".repeat(64)}` },
    });
    expect(variables["SANDBOX_BUCKET_URL"]).toBe("https://<StorageBucket.RegionalDomainName>");
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  test("sandbox: off removes the function, its VPC and the permission to call it", () => {
    const without = synthesize({ context: { sandbox: "off" } });
    expect(JSON.stringify(without.template.toJSON())).not.toMatch(/SandboxEnvironment|SandboxFunction|AWS::EC2/);
    expect(advanceEnv(without).filter((name) => /^SANDBOX_(FUNCTION|ENVIRONMENTS|TENANCY)$/.test(name))).toEqual([]);
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
