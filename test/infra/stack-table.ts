import type { Template } from "aws-cdk-lib/assertions";
import { plain, type Resource, short } from "./synth.ts";

/** The properties of each type that cost or protect. */
const shownProperties: Record<string, string[]> = {
  "AWS::ApiGatewayV2::Authorizer": ["AuthorizerType", "JwtConfiguration"],
  "AWS::ApiGatewayV2::Route": ["RouteKey", "AuthorizationType"],
  "AWS::ApiGatewayV2::Stage": ["DefaultRouteSettings"],
  "AWS::ApplicationAutoScaling::ScalableTarget": ["MinCapacity", "MaxCapacity"],
  "AWS::ApplicationAutoScaling::ScalingPolicy": ["TargetTrackingScalingPolicyConfiguration"],
  "AWS::CloudFront::CachePolicy": ["CachePolicyConfig"],
  "AWS::CloudFront::Distribution": ["DistributionConfig"],
  "AWS::CloudFront::VpcOrigin": ["VpcOriginEndpointConfig"],
  "AWS::Cognito::UserPool": [
    "AdminCreateUserConfig",
    "DeletionProtection",
    "EnabledMfas",
    "MfaConfiguration",
    "Policies",
    "UserPoolTier",
  ],
  "AWS::Cognito::UserPoolClient": [
    "AllowedOAuthFlows",
    "ExplicitAuthFlows",
    "AccessTokenValidity",
    "IdTokenValidity",
    "RefreshTokenValidity",
    "TokenValidityUnits",
    "RefreshTokenRotation",
    "PreventUserExistenceErrors",
  ],
  "AWS::DynamoDB::GlobalTable": [
    "BillingMode",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "SSESpecification",
    "StreamSpecification",
    "TimeToLiveSpecification",
    "Replicas",
  ],
  "AWS::EC2::Route": ["DestinationCidrBlock", "GatewayId"],
  "AWS::EC2::SecurityGroup": ["SecurityGroupIngress", "SecurityGroupEgress"],
  "AWS::EC2::SecurityGroupEgress": ["CidrIp", "DestinationSecurityGroupId", "FromPort", "ToPort"],
  "AWS::EC2::SecurityGroupIngress": ["SourcePrefixListId", "SourceSecurityGroupId", "FromPort", "ToPort"],
  "AWS::EC2::Subnet": ["CidrBlock", "MapPublicIpOnLaunch"],
  "AWS::EC2::VPC": ["CidrBlock", "EnableDnsHostnames", "EnableDnsSupport"],
  "AWS::EC2::VPCEndpoint": ["ServiceName", "VpcEndpointType"],
  "AWS::ECS::Cluster": ["ClusterSettings"],
  "AWS::ECS::Service": ["LaunchType", "CapacityProviderStrategy", "DeploymentConfiguration", "DesiredCount"],
  "AWS::ECS::TaskDefinition": ["Cpu", "Memory", "NetworkMode", "RuntimePlatform"],
  "AWS::ElasticLoadBalancingV2::Listener": ["Port", "Protocol"],
  "AWS::ElasticLoadBalancingV2::LoadBalancer": ["Scheme", "LoadBalancerAttributes"],
  "AWS::ElasticLoadBalancingV2::TargetGroup": ["HealthCheckPath", "Port", "Protocol", "TargetGroupAttributes"],
  "AWS::Events::Rule": ["ScheduleExpression", "EventPattern", "State"],
  "AWS::IAM::Role": ["ManagedPolicyArns"],
  "AWS::Lambda::EventInvokeConfig": ["MaximumEventAgeInSeconds", "MaximumRetryAttempts"],
  "AWS::Lambda::EventSourceMapping": [
    "EventSourceArn",
    "BatchSize",
    "BisectBatchOnFunctionError",
    "FilterCriteria",
    "FunctionResponseTypes",
    "MaximumRecordAgeInSeconds",
    "MaximumRetryAttempts",
    "ScalingConfig",
    "StartingPosition",
  ],
  "AWS::Lambda::Function": [
    "MemorySize",
    "Timeout",
    "ReservedConcurrentExecutions",
    "EphemeralStorage",
    "Runtime",
    "PackageType",
    "Architectures",
    "TenancyConfig",
    "VpcConfig",
    "DeadLetterConfig",
    "RecursiveLoop",
  ],
  "AWS::Lambda::Permission": ["Principal", "SourceArn"],
  "AWS::Lambda::WebFunctionEndpoint": ["AuthType", "EndpointType", "ScalingConfig", "ThrottleConfig"],
  "AWS::Lambda::WebFunctionRevision": ["ServiceConfig"],
  "AWS::Logs::LogGroup": ["RetentionInDays"],
  "AWS::S3::Bucket": [
    "BucketEncryption",
    "LifecycleConfiguration",
    "OwnershipControls",
    "PublicAccessBlockConfiguration",
    "VersioningConfiguration",
  ],
  "AWS::SNS::Topic": ["KmsMasterKeyId"],
  "AWS::SQS::Queue": ["MessageRetentionPeriod", "SqsManagedSseEnabled", "VisibilityTimeout", "RedrivePolicy"],
  "AWS::SecretsManager::Secret": ["GenerateSecretString"],
  "AWS::StepFunctions::StateMachine": ["LoggingConfiguration", "TracingConfiguration"],
};

/** Types of which the table has the number only: other tests cover them, or they connect what is listed. */
const counted = new Set([
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Integration",
  "AWS::CloudFront::Function",
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::Cognito::ManagedLoginBranding",
  "AWS::Cognito::UserPoolDomain",
  "AWS::Cognito::UserPoolGroup",
  "AWS::EC2::InternetGateway",
  "AWS::EC2::RouteTable",
  "AWS::EC2::SubnetRouteTableAssociation",
  "AWS::EC2::VPCGatewayAttachment",
  "AWS::IAM::ManagedPolicy",
  "AWS::IAM::Policy",
  "AWS::Lambda::WebFunction",
  "AWS::Logs::MetricFilter",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::QueuePolicy",
  "AWS::SSM::Parameter",
  "AWS::Scheduler::ScheduleGroup",
  "Custom::AWS",
  "Custom::S3AutoDeleteObjects",
  "Custom::S3ObjectCopy",
  "Custom::VpcRestrictDefaultSG",
]);

interface Statement {
  Effect: string;
  Action: string | string[];
  Principal?: unknown;
  Resource?: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

interface Named extends Resource {
  id: string;
}

/**
 * What a reviewer reads of a stack: its resources with the settings that cost or protect, and who may do what. Resources with
 * equal settings share a line. ARNs of this region and account begin after the account.
 */
export function stackTable(name: string, template: Template): string {
  const resources = template.toJSON()["Resources"] as Record<string, Resource>;
  const all = Object.entries(resources).map(([id, { Type, Properties, DeletionPolicy }]) => ({
    id: plain(id),
    Type,
    Properties: Properties ?? {},
    DeletionPolicy,
  }));
  return [
    `# ${name}`,
    "",
    "## Resources",
    ...[...Map.groupBy(all, ({ Type }) => Type)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([type, members]) => typeLines(type, members)),
    "",
    "## Permissions",
    ...equal(all, trustOf),
    ...all.flatMap(permissionLines),
    "",
  ].join("\n");
}

function typeLines(type: string, members: Named[]): string[] {
  if (counted.has(type)) return [`${type}: ${members.length}`];
  const shown = shownProperties[type];
  if (shown === undefined) throw new Error(`${type} is not in the table: list the properties that cost or protect`);
  const lines = equal(members, (member) => settingsOf(member, shown));
  return lines.length === 0 ? [`${type}: ${members.length}`] : [type, ...lines];
}

function settingsOf({ Properties, DeletionPolicy }: Named, shown: string[]): string {
  const settings = shown.flatMap((key) => (key in Properties ? `${key} ${plainText(Properties[key])}` : []));
  const kept = DeletionPolicy === undefined ? [] : [`DeletionPolicy ${DeletionPolicy}`];
  return [...settings, ...kept].join(", ");
}

function trustOf({ Properties }: Named): string {
  return statementsIn(Properties["AssumeRolePolicyDocument"]).map(statementLine).join("; ");
}

function permissionLines({ id, Properties }: Named): string[] {
  const statements = statementsIn(Properties["PolicyDocument"]);
  if (statements.length === 0) return [];
  return [id.replace(/DefaultPolicy$/, ""), ...statements.map((each) => `  ${statementLine(each)}`)];
}

/** One line for all members with the same text, and none for members without text. */
function equal(members: Named[], textOf: (member: Named) => string): string[] {
  return [...Map.groupBy(members, textOf)].flatMap(([text, same]) =>
    text === "" ? [] : [`  ${same.map(({ id }) => id).join(", ")}: ${text}`],
  );
}

function statementsIn(document: unknown): Statement[] {
  return (document as { Statement: Statement[] } | undefined)?.Statement ?? [];
}

function statementLine({ Effect, Action, Principal, Resource, Condition = {} }: Statement): string {
  const conditions = Object.assign({}, ...Object.values(Condition)) as Record<string, string | string[]>;
  const { "dynamodb:LeadingKeys": keys, ...others } = conditions;
  return [
    ...(Principal === undefined ? [] : [plainText(Principal)]),
    ...(Effect === "Allow" ? [] : [Effect]),
    [Action].flat().join(", "),
    ...(Resource === undefined ? [] : ["on", [Resource].flat().map(plainText).join(", ")]),
    ...(keys === undefined ? [] : ["with keys", [keys].flat().join(", ")]),
    ...(Object.keys(others).length === 0 ? [] : ["if", plainText(others)]),
  ].join(" ");
}

/** A template value on one line, without quotation marks and hashes of code. */
function plainText(value: unknown): string {
  return JSON.stringify(short(value))
    .replaceAll(/arn:aws:[\w-]+:<AWS::Region>:<AWS::AccountId>:/g, "")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>")
    .replaceAll(/SsmParameterValueagentrunserviceprod(\w+?)[0-9A-F]{32}Parameter/g, "$1")
    .replaceAll(/["\\]/g, "");
}
