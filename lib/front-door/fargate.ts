import { join } from "node:path";
import { Duration, Stack, Stage, Validations } from "aws-cdk-lib";
import { OriginProtocolPolicy, type OriginProps } from "aws-cdk-lib/aws-cloudfront";
import { VpcOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import {
  GatewayVpcEndpointAwsService,
  type IPeer,
  IpAddresses,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { Platform } from "aws-cdk-lib/aws-ecr-assets";
import {
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDriver,
  OperatingSystemFamily,
} from "aws-cdk-lib/aws-ecs";
import {
  ApplicationLoadBalancer,
  ApplicationProtocol,
  HttpCodeElb,
  HttpCodeTarget,
} from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from "aws-cdk-lib/custom-resources";
import type { Construct } from "constructs";
import { healthPath } from "../../src/http/server/origin-secret.ts";
import { uploadHostings } from "./hosting.ts";
import { grantServer, type UploadOrigin, type UploadServer, writeImage } from "./server.ts";
import { alarmPeriod, formula } from "../monitoring/alarm.ts";
import { zonesOf } from "../settings.ts";

const port = 3000;

/** How long CloudFront and the load balancer wait for the server. */
const readTimeout = Duration.seconds(120);

/**
 * The upload server on Fargate: one to four tasks behind a load balancer that only CloudFront can reach. Each does all that the
 * server does.
 */
export function fargateOrigin(scope: Construct, server: UploadServer, origin: OriginProps): UploadOrigin {
  const vpc = newVpc(scope, server);
  const balancerGroup = new SecurityGroup(scope, "BalancerGroup", { vpc, allowAllOutbound: false });
  const taskGroup = new SecurityGroup(scope, "TaskGroup", { vpc });
  balancerGroup.addIngressRule(cloudFront(scope), Port.tcp(80), "CloudFront through its VPC origin");
  const cluster = new Cluster(scope, "Cluster", { vpc, containerInsightsV2: ContainerInsights.ENABLED }) as ICluster;
  const service = new FargateService(scope, "Service", {
    cluster,
    taskDefinition: newTask(scope, server),
    desiredCount: 1,
    minHealthyPercent: 100,
    circuitBreaker: { rollback: true },
    assignPublicIp: true,
    vpcSubnets: { subnetType: SubnetType.PUBLIC },
    securityGroups: [taskGroup],
  });
  service.autoScaleTaskCount({ minCapacity: 1, maxCapacity: 4 }).scaleOnCpuUtilization("Cpu", {
    targetUtilizationPercent: 50,
  });

  const balancer = newBalancer(scope, vpc, balancerGroup, service);
  return {
    origin: VpcOrigin.withApplicationLoadBalancer(balancer, {
      ...origin,
      vpcOriginName: server.name,
      protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
      readTimeout,
    }),
    ready: service,
    failures: formula("FILL(server, 0) + FILL(balancer, 0)", {
      server: balancer.metrics.httpCodeTarget(HttpCodeTarget.TARGET_5XX_COUNT, { period: alarmPeriod }),
      balancer: balancer.metrics.httpCodeElb(HttpCodeElb.ELB_5XX_COUNT, { period: alarmPeriod }),
    }),
  };
}

function newVpc(scope: Construct, server: UploadServer): IVpc {
  // The casts: CDK's classes declare `| undefined` properties where its interfaces declare optional ones.
  const vpc = new Vpc(scope, "Vpc", {
    ipAddresses: IpAddresses.cidr("10.0.0.0/16"),
    ...zonesOf(server.settings),
    natGateways: 0, // saves 33 USD a month; tasks have public addresses that accept no connections
    subnetConfiguration: [
      { name: "Balancer", subnetType: SubnetType.PRIVATE_ISOLATED },
      { name: "Tasks", subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
    ],
    gatewayEndpoints: {
      Objects: { service: GatewayVpcEndpointAwsService.S3 },
      Items: { service: GatewayVpcEndpointAwsService.DYNAMODB },
    },
  }) as IVpc;
  Validations.of(vpc).acknowledge({
    id: "AwsSolutions-VPC7",
    reason: "The balancer's only client is CloudFront, and the server logs every request. Flow logs would add nothing.",
  });
  return vpc;
}

/** A task with the server's image and permissions. */
function newTask(scope: Construct, server: UploadServer): FargateTaskDefinition {
  const role = new Role(scope, "Role", { assumedBy: new ServicePrincipal("ecs-tasks.amazonaws.com") });
  const environment = { ...grantServer(role, server, ["creates", "streams"]), AWS_REGION: Stack.of(scope).region };
  const task = new FargateTaskDefinition(scope, "Task", {
    cpu: 256,
    memoryLimitMiB: uploadHostings.fargate.memory,
    runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    taskRole: role,
    volumes: [{ name: "Spool" }], // on the task's ephemeral storage: 20 GiB
  });
  const image = join(Stage.of(scope)?.outdir ?? "cdk.out", "upload-server-image");
  writeImage(image, Stack.of(scope).bundlingRequired);
  const container = task.addContainer("Server", {
    image: ContainerImage.fromAsset(image, { platform: Platform.LINUX_ARM64 }),
    environment,
    portMappings: [{ containerPort: port }],
    logging: LogDriver.awsLogs({ logGroup: server.logGroup, streamPrefix: "server" }),
    readonlyRootFilesystem: true,
    stopTimeout: Duration.seconds(30),
  });
  // The server spools large bodies to /tmp; everything else is read-only.
  container.addMountPoints({ sourceVolume: "Spool", containerPath: "/tmp", readOnly: false });
  Validations.of(task.obtainExecutionRole()).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "Only for ecr:GetAuthorizationToken, which does not support resource-level permissions.",
  });
  Validations.of(task).acknowledge({
    id: "AwsSolutions-ECS2",
    reason: "The environment contains names and numbers only. The server reads its secret from Secrets Manager.",
  });
  return task;
}

function newBalancer(
  scope: Construct,
  vpc: IVpc,
  securityGroup: SecurityGroup,
  service: FargateService,
): ApplicationLoadBalancer {
  const balancer = new ApplicationLoadBalancer(scope, "Balancer", {
    vpc,
    internetFacing: false,
    vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
    securityGroup,
    idleTimeout: readTimeout, // the default of 60 s would end a slow create with the balancer's own 504
    dropInvalidHeaderFields: true,
  });
  balancer.addListener("Http", { port: 80, open: false }).addTargets("Server", {
    protocol: ApplicationProtocol.HTTP,
    port,
    targets: [service],
    healthCheck: { path: healthPath, interval: Duration.seconds(10), timeout: Duration.seconds(5) },
    deregistrationDelay: Duration.seconds(30),
  });
  Validations.of(balancer).acknowledge({
    id: "AwsSolutions-ELB2",
    reason: "The server behind it logs every request. The balancer's own log would only add health checks.",
  });
  return balancer;
}

/**
 * CloudFront's managed prefix list, which AWS says to allow for a VPC origin
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-vpc-origins.html). Its id differs
 * per region. It is read during the deployment: a CDK context lookup would need credentials at synthesis.
 */
function cloudFront(scope: Construct): IPeer {
  const name = "com.amazonaws.global.cloudfront.origin-facing";
  const id = "PrefixLists.0.PrefixListId";
  const list = new AwsCustomResource(scope, "CloudFrontAddresses", {
    onUpdate: {
      service: "EC2",
      action: "describeManagedPrefixLists",
      parameters: { Filters: [{ Name: "prefix-list-name", Values: [name] }] },
      outputPaths: [id],
      physicalResourceId: PhysicalResourceId.of(name),
    },
    policy: AwsCustomResourcePolicy.fromSdkCalls({ resources: AwsCustomResourcePolicy.ANY_RESOURCE }),
    installLatestAwsSdk: false,
  });
  const lookup = Stack.of(scope).node.findChild(`AWS${AwsCustomResource.PROVIDER_FUNCTION_UUID.replaceAll("-", "")}`);
  Validations.of(list).acknowledge({
    id: "AwsSolutions-IAM5[Resource::*]",
    reason: "Only for ec2:DescribeManagedPrefixLists, which does not support resource-level permissions.",
  });
  Validations.of(lookup).acknowledge({
    id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
    reason: "CDK's function makes this one call during a deployment and writes its log with this AWS policy.",
  });
  return Peer.prefixList(list.getResponseField(id));
}
