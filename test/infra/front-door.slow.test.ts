import { Annotations, Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { limits } from "../../src/v1/upload-server.ts";
import { envNames } from "../../src/env.ts";
import { uploadHostings } from "../../lib/front-door/hosting.ts";
import { fileLimitsWithoutFrontDoor, warningWithoutFrontDoor } from "../../lib/front-door/limits.ts";
import { serviceApp } from "../../lib/service-app.ts";
import { synthesizeFrontDoor } from "./front-door.ts";
import { type Resource, short } from "./synth.ts";

const frontDoors = Object.keys(uploadHostings).map((largeBodies) =>
  Object.assign({ largeBodies }, synthesizeFrontDoor({ context: { largeBodies } })),
);

interface Behavior {
  PathPattern?: string;
  TargetOriginId: string;
  CachePolicyId: unknown;
  AllowedMethods?: string[];
  FunctionAssociations?: unknown[];
  [other: string]: unknown;
}
interface Origin {
  Id: string;
  OriginCustomHeaders?: { HeaderName: string; HeaderValue: unknown }[];
  [other: string]: unknown;
}

describe.each(frontDoors)("front door with $largeBodies", ({ largeBodies, app, service, template, properties }) => {
  const [{ DistributionConfig } = {}] = properties("AWS::CloudFront::Distribution");
  const { DefaultCacheBehavior, CacheBehaviors, Origins, CustomErrorResponses, Logging } = DistributionConfig as {
    DefaultCacheBehavior: Behavior;
    CacheBehaviors: Behavior[];
    Origins: Origin[];
    CustomErrorResponses: { ErrorCode: number; ErrorCachingMinTTL: number }[];
    Logging?: unknown;
  };
  const [openapi, unused, streamCheck] = CacheBehaviors;
  const streamsOrigin = largeBodies === "fargate" ? "large-bodies" : "event-streams";

  test("routes to API Gateway by default; only the viewer-request function selects the upload server", () => {
    const small = Origins.find(({ Id }) => Id === DefaultCacheBehavior.TargetOriginId);
    expect(JSON.stringify(short(small))).toContain("ApiUrl");
    expect(DefaultCacheBehavior.FunctionAssociations).toHaveLength(1);
    expect(unused?.FunctionAssociations).toEqual(DefaultCacheBehavior.FunctionAssociations);
    expect(DefaultCacheBehavior.AllowedMethods).toContain("POST");
    expect(openapi).toMatchObject({ PathPattern: "/v1/openapi.json", TargetOriginId: small?.Id });
    expect(openapi?.AllowedMethods).toEqual(DefaultCacheBehavior.AllowedMethods);
    expect(unused?.TargetOriginId).toBe("large-bodies");
    expect(streamCheck).toMatchObject({ PathPattern: "/stream-check", TargetOriginId: streamsOrigin });
    expect(Origins).toHaveLength(largeBodies === "fargate" ? 2 : 3);
  });

  test("caches only the OpenAPI document, so no response to one API key reaches another", () => {
    const disabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"; // CloudFront's own policy CachingDisabled
    const uncached = [DefaultCacheBehavior, unused, streamCheck];
    expect(uncached.map((behavior) => behavior?.CachePolicyId)).toEqual([disabled, disabled, disabled]);
    template.hasResourceProperties("AWS::CloudFront::CachePolicy", {
      CachePolicyConfig: { DefaultTTL: 300, MinTTL: 0, MaxTTL: 3600 },
    });
    const kept = CustomErrorResponses.filter(({ ErrorCachingMinTTL }) => ErrorCachingMinTTL !== 0);
    expect(kept).toEqual([]);
    expect(CustomErrorResponses.map(({ ErrorCode }) => ErrorCode)).toEqual(
      expect.arrayContaining([400, 403, 404, 405, 414, 500, 501, 502, 503, 504]),
    );
  });

  test("requires HTTPS and has no edge log", () => {
    for (const { ViewerProtocolPolicy } of [DefaultCacheBehavior, ...CacheBehaviors]) {
      expect(ViewerProtocolPolicy).toBe("https-only");
    }
    expect(Logging).toBeUndefined();
    expect(JSON.stringify(template.toJSON())).not.toMatch(/RealtimeLogConfig|DeliverySource/);
  });

  test("sends a secret to the upload server only; the secret is in no template", () => {
    const headers = Origins.flatMap(({ Id, OriginCustomHeaders = [] }) =>
      OriginCustomHeaders.map(({ HeaderName, HeaderValue }) => [Id, HeaderName, short(HeaderValue)]),
    );
    const reference = "{{resolve:secretsmanager:<OriginSecret1>:SecretString:::}}";
    const ids = [...new Set(["large-bodies", streamsOrigin])];
    expect(headers).toEqual(ids.map((id) => [id, "x-origin-secret", reference]));
  });

  test("rotates the secret: sends the new one; the server accepts the new and the previous one", () => {
    const next = synthesizeFrontDoor({ context: { largeBodies, originSecretGeneration: "3" } });
    const text = JSON.stringify(short(next.template.toJSON()));
    expect(text).toContain("{{resolve:secretsmanager:<OriginSecret3>:SecretString:::}}");
    expect(text).toContain("<OriginSecret3>,<OriginSecret2>");
    expect(next.properties("AWS::SecretsManager::Secret")).toHaveLength(2);
  });

  test("starts the server after its permissions exist, and CloudFront after the server", () => {
    const type = largeBodies === "fargate" ? "AWS::ECS::Service" : "AWS::Lambda::WebFunctionRevision";
    const [[server, { DependsOn: before }] = ["", {}]] = Object.entries(template.findResources(type));
    expect(before).toContainEqual(expect.stringMatching(/^RoleDefaultPolicy/));
    const [front] = Object.values(template.findResources("AWS::CloudFront::Distribution"));
    expect(front?.["DependsOn"]).toContain(server);
  });

  test("grants what the functions have that create and read runs, its secrets and its log, and nothing else", () => {
    const lines = (stack: typeof template, role: RegExp): string[] =>
      Object.entries(stack.findResources("AWS::IAM::Policy"))
        .filter(([id]) => role.test(id))
        .flatMap(
          ([, { Properties }]) => (Properties as { PolicyDocument: { Statement: object[] } }).PolicyDocument.Statement,
        )
        .map((statement) => {
          const { Action, Resource, Condition } = statement as Record<string, unknown>;
          const resources = [Resource].flat().map((each) => String(short(each)).toLowerCase());
          const kinds = resources.map((arn) => /table|workspaces|texts|statemachine|log|secret/.exec(arn)?.[0]);
          return JSON.stringify({ Action, kinds: kinds.join(" "), Condition });
        })
        .filter((line) => !/logs:|secretsmanager:/.test(line));
    const [create, read] = [lines(service, /^CreateRole/), lines(service, /^ExtReadRole/)];
    expect(create.length).toBeGreaterThan(3);
    const server = lines(template, /^Role/);
    if (largeBodies === "fargate") {
      expect(server.filter((line) => !create.includes(line)).map(asOfExtRead)).toSatisfy(isPartOf(read));
      expect(server).toEqual(expect.arrayContaining(create));
      return;
    }
    const streams = lines(template, /^StreamsRole/);
    expect(server).toEqual(create);
    expect(streams.length).toBeGreaterThan(5);
    expect(streams.map(asOfExtRead)).toSatisfy(isPartOf(read));
    expect(streams.join()).not.toMatch(/PutItem|DeleteItem|PutObject|StartExecution|workspaces/);
  });

  test("sets every environment variable that the server reads, and limits that fit its memory", () => {
    const text = JSON.stringify(short(template.toJSON()));
    for (const name of envNames) expect(text).toContain(name);
    const { heap, memory } = uploadHostings[largeBodies as keyof typeof uploadHostings];
    expect(text).toContain(`--max-old-space-size=${heap}`);
    expect(heap).toBeLessThanOrEqual(memory / 2); // buffers and Node itself use the rest
  });

  test("passes cdk-nag", () => {
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  test("depends on the service through parameters, not CloudFormation exports", () => {
    expect(service.toJSON()["Outputs"]).toSatisfy((outputs: object) => !JSON.stringify(outputs).includes("Export"));
    service.resourceCountIs("AWS::SSM::Parameter", 5);
  });
});

/** A permission of streams as the function of reads has it: that reads no batches, and also the files of runs. */
function asOfExtRead(line: string): string {
  return line
    .replace('["dynamodb:BatchGetItem","dynamodb:Query"]', '"dynamodb:Query"')
    .replace('"texts"', '"texts workspaces"');
}

type Dependent = Resource & { DependsOn: string[] };

function isPartOf(all: string[]) {
  return (some: string[]) => some.every((each) => all.includes(each));
}

describe("a custom domain", () => {
  const domain = "runs.example.com";
  const certificate = "arn:aws:acm:us-east-1:111122223333:certificate/0d2f7c1e-93c6-4a6e-9a39-f4c1b0a5f001";
  const { app, template } = synthesizeFrontDoor({ context: { domain, certificate } });

  test("is CloudFront's alias, with its certificate and at least TLS 1.2, and the BaseUrl output", () => {
    template.hasResourceProperties("AWS::CloudFront::Distribution", {
      DistributionConfig: {
        Aliases: [domain],
        ViewerCertificate: {
          AcmCertificateArn: certificate,
          MinimumProtocolVersion: "TLSv1.2_2021",
          SslSupportMethod: "sni-only",
        },
      },
    });
    template.hasOutput("BaseUrl", { Value: `https://${domain}` });
    const { Value } = template.toJSON()["Outputs"].CloudFrontDomain as { Value: unknown };
    expect(short(Value)).toMatch(/^<Distribution\w*\.DomainName>$/);
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  test("is absent by default", () => {
    const { template: plain } = synthesizeFrontDoor();
    plain.hasResourceProperties("AWS::CloudFront::Distribution", {
      DistributionConfig: { Aliases: Match.absent(), ViewerCertificate: Match.absent() },
    });
    expect(plain.toJSON()["Outputs"]).not.toHaveProperty("CloudFrontDomain");
  });
});

test.each(frontDoors)(
  "$largeBodies: descriptions of security groups use characters that EC2 accepts",
  ({ template, service }) => {
    for (const each of [template, service]) {
      const text = JSON.stringify(
        Object.values(each.toJSON()["Resources"] as Resource[]).filter(({ Type }) => Type.includes("SecurityGroup")),
      );
      const descriptions = [...text.matchAll(/"(?:Group)?Description":"([^"]*)"/g)].map(
        ([, description = ""]) => description,
      );
      expect(descriptions.filter((description) => !/^[\w. \-:/()#,@[\]+=&;{}!$*]{1,255}$/.test(description))).toEqual(
        [],
      );
    }
  },
);

describe("hosting", () => {
  test("web function: the server authenticates requests, and the bodies of an environment fit its disk", () => {
    const { template } = synthesizeFrontDoor({ context: { largeBodies: "web-function" } });
    template.hasResourceProperties("AWS::Lambda::WebFunctionEndpoint", {
      AuthType: "ApplicationManaged",
      ThrottleConfig: { RateLimit: 100 },
      ScalingConfig: { MaxEnvironments: 20 },
    });
    const revisions = Object.values(template.findResources("AWS::Lambda::WebFunctionRevision"));
    const [creates, streams] = revisions.map(
      ({ Properties }) => (Properties as { ServiceConfig: object }).ServiceConfig,
    );
    expect(creates).toMatchObject({ MaxConcurrencyPerEnvironment: 16, TimeoutSeconds: 180 }); // 16 x 20 MB of 512 in /tmp
    expect(streams).toMatchObject({ MaxConcurrencyPerEnvironment: 100, TimeoutSeconds: 900 });
    template.resourcePropertiesCountIs(
      "AWS::Lambda::WebFunctionEndpoint",
      { ScalingConfig: { MaxEnvironments: 20 } },
      2,
    );
  });

  test("web function: the log of the region has the same retention, and the server can write both logs", () => {
    const { template, properties } = synthesizeFrontDoor();
    const groups = properties("AWS::Logs::LogGroup").map((each) => short(each));
    expect(groups).toContainEqual({ LogGroupName: "<Log>.local", RetentionInDays: 30 });
    const policy = JSON.stringify(short(template.findResources("AWS::IAM::Policy")));
    const [, resources = ""] = /"logs:PutLogEvents"\],"Effect":"Allow","Resource":(.*?)\}/.exec(policy) ?? [];
    for (const log of ["<Log.Arn>", "<LocalLog.Arn>"]) expect(resources).toContain(log);
    const [fn] = Object.values(template.findResources("AWS::Lambda::WebFunction"));
    expect(fn?.["DependsOn"]).toContainEqual(expect.stringMatching(/^LocalLog/));
  });

  test("web function: function, revision and endpoint use the same name; revision and endpoint wait for it", () => {
    const { template } = synthesizeFrontDoor({ context: { largeBodies: "web-function" } });
    const types = ["AWS::Lambda::WebFunction", "AWS::Lambda::WebFunctionRevision", "AWS::Lambda::WebFunctionEndpoint"];
    const [functions = [], ...others] = types.map((type) => Object.entries(template.findResources(type)));
    // A Ref or GetAtt of the function would be its ARN.
    const names = functions.map(([, { Properties }]) => (Properties as Resource["Properties"])["FunctionName"]);
    expect(names).toEqual(
      ["agent-runs-prod-", "agent-runs-events-prod-"].map((name) => ({
        "Fn::Join": ["", [name, { Ref: "AWS::Region" }]],
      })),
    );
    for (const [index, [id]] of functions.entries()) {
      for (const resources of others) {
        const [, { Properties = {}, DependsOn = [] } = {}] = (resources[index] ?? []) as [string?, Partial<Dependent>?];
        expect(Properties["FunctionName"]).toEqual(names[index]);
        expect(DependsOn).toContain(id);
      }
    }
    expect(others.flat()).toHaveLength(4);
  });

  test("Fargate: the file system is read-only but for /tmp, where bodies are spooled", () => {
    const { template } = synthesizeFrontDoor({ context: { largeBodies: "fargate" } });
    template.hasResourceProperties("AWS::ECS::TaskDefinition", {
      ContainerDefinitions: [
        Match.objectLike({
          ReadonlyRootFilesystem: true,
          MountPoints: [{ SourceVolume: "Spool", ContainerPath: "/tmp", ReadOnly: false }],
        }),
      ],
      Volumes: [{ Name: "Spool" }],
    });
  });

  test("Fargate: the load balancer waits as long as CloudFront, and closes idle connections before the server", () => {
    const { template, properties } = synthesizeFrontDoor({ context: { largeBodies: "fargate" } });
    const [{ LoadBalancerAttributes } = {}] = properties("AWS::ElasticLoadBalancingV2::LoadBalancer");
    const attributes = LoadBalancerAttributes as { Key: string; Value: string }[];
    const idle = attributes.find(({ Key }) => Key === "idle_timeout.timeout_seconds")?.Value;
    const [, read] = /"OriginReadTimeout":(\d+)/.exec(JSON.stringify(template.toJSON())) ?? [];
    expect(idle).toBe(read);
    expect(Number(idle) * 1_000).toBeLessThan(limits.keepAlive);
  });

  test("Fargate: only CloudFront reaches the load balancer, and only the load balancer reaches the tasks", () => {
    const { template } = synthesizeFrontDoor({ context: { largeBodies: "fargate" } });
    template.hasResourceProperties("AWS::ElasticLoadBalancingV2::LoadBalancer", { Scheme: "internal" });
    template.hasResourceProperties("AWS::ECS::TaskDefinition", {
      Memory: "512",
      RuntimePlatform: { CpuArchitecture: "ARM64" },
    });
    template.hasResourceProperties("AWS::ElasticLoadBalancingV2::TargetGroup", { HealthCheckPath: "/health" });
    template.resourceCountIs("AWS::EC2::NatGateway", 0);
    template.allResourcesProperties("AWS::EC2::SecurityGroup", { SecurityGroupIngress: Match.absent() });
    const rules = Object.values(template.findResources("AWS::EC2::SecurityGroupIngress"));
    const sources = rules.map(({ Properties }) => {
      const { SourcePrefixListId, SourceSecurityGroupId, FromPort } = Properties as Record<string, unknown>;
      return `${String(FromPort)} from ${String(short(SourcePrefixListId ?? SourceSecurityGroupId))}`;
    });
    expect(sources.toSorted()).toEqual([
      "3000 from <BalancerGroup.GroupId>",
      expect.stringMatching(/^80 from <CloudFrontAddresses\w*\.PrefixLists\.0\.PrefixListId>$/),
    ]);
    template.hasResourceProperties("Custom::AWS", {
      Create: Match.serializedJson(Match.objectLike({ action: "describeManagedPrefixLists" })),
    });
  });
});

describe("off", () => {
  const { app, stack, frontDoor } = serviceApp({
    ...cdkJson.context,
    "aws:cdk:bundling-stacks": [],
    largeBodies: "off",
  });

  test("deploys only the service stack, and warns about the rejected sizes", () => {
    expect(frontDoor).toBeUndefined();
    expect(app.synth().stacks).toHaveLength(1);
    Annotations.fromStack(stack).hasWarning("*", Match.stringLikeRegexp("2\\.2 MiB .* 3\\.6\\s+MiB .* 7\\.5 MiB"));
  });

  test("calculates the sizes from the limits of Lambda and API Gateway", () => {
    // 6 MiB / 2 * 3/4 = 2.25 MiB; 6 MiB / 1.26 * 3/4 = 3.57 MiB; 10 MiB * 3/4 = 7.5 MiB
    expect(fileLimitsWithoutFrontDoor).toEqual({ accepted: 2.2, rejectedByLambda: 3.6, rejectedByApiGateway: 7.5 });
    for (const figure of Object.values(fileLimitsWithoutFrontDoor))
      expect(warningWithoutFrontDoor).toContain(`${figure} MiB`);
  });
});
