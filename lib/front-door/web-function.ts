import { AssetHashType, type CfnResource, DockerImage, Duration, RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import type { OriginProps } from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  WebFunction,
  WebFunctionAuthType,
  WebFunctionCode,
  type WebFunctionProps,
  WebFunctionRuntime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { bundleUploadServer, lambdasFolder } from "../bundling.ts";
import { webFunctionLimits } from "./hosting.ts";
import { grantServer, type ServerWork, streamsOriginId, type UploadOrigin, type UploadServer } from "./server.ts";
import { sumOverDimensions } from "../monitoring/alarm.ts";
import { arnInFindings, logRetention } from "../service-function.ts";

/** Lambda accepts at most 128 requests at a time in an environment. With 100 streams, one uses a fifth of its two processors. */
const streamsPerEnvironment = 100;

/**
 * The upload server as Lambda web functions: one for creates, and one for streams of events. They run, and cost, only while
 * there are requests. A stream never takes the place of a create, and neither can do what the other may.
 */
export function webFunctionOrigin(scope: Construct, server: UploadServer, origin: OriginProps): UploadOrigin {
  const creates = newWebFunction(scope, "", server, origin, {
    works: ["creates"],
    timeout: Duration.seconds(180),
    // 16 bodies of at most 20 MiB fit into /tmp, which has 512 MB. Lambda adds environments for more.
    maxConcurrencyPerEnvironment: 16,
  });
  const name = server.name.replace("agent-runs-", "agent-runs-events-");
  const streams = newWebFunction(
    scope,
    "Streams",
    { ...server, name },
    { ...origin, originId: streamsOriginId },
    {
      works: ["streams"],
      timeout: Duration.seconds(900), // the longest; the server ends a stream after 14 minutes
      maxConcurrencyPerEnvironment: streamsPerEnvironment,
    },
  );
  acknowledgeCodeBucket(Stack.of(scope));
  return { ...creates, streams };
}

interface WebFunctionOptions extends Pick<WebFunctionProps, "timeout" | "maxConcurrencyPerEnvironment"> {
  works: ServerWork[];
}

/** A web function with the server's code. `prefix`: of the ids of its constructs. */
function newWebFunction(
  scope: Construct,
  prefix: string,
  server: UploadServer,
  origin: OriginProps,
  { works, ...options }: WebFunctionOptions,
): UploadOrigin {
  const role = new Role(scope, `${prefix}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  // Lambda keeps log lines of a region in this group before it centralizes them. AWS does not say whether the role or
  // Lambda itself writes there. Declared here, the group has a retention and is deleted with the stack.
  const logGroup = prefix === "" ? server.logGroup : newLog(scope, `${prefix}Log`);
  const localLog = newLog(scope, `${prefix}LocalLog`, `${logGroup.logGroupName}.local`);
  for (const each of [logGroup, localLog]) each.grantWrite(role);
  const fn = new WebFunction(scope, `${prefix}WebFunction`, {
    webFunctionName: server.name,
    code: serverCode(scope),
    runtime: WebFunctionRuntime.NODEJS_24_X,
    role,
    environment: grantServer(role, server, works),
    logGroup,
    ...options,
    // The server checks CloudFront's secret itself. With IAM, every client would have to send its body's hash.
    defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
    // The endpoint's domain is public. Without these limits it could use the account's whole quota.
    defaultEndpoint: {
      rateLimit: webFunctionLimits.requestsPerSecond,
      maxEnvironments: webFunctionLimits.environments,
    },
  });
  // CDK sets the ARN. AWS documents that CloudFormation then fails to read the resource, and to roll the stack back:
  // https://github.com/aws/agent-toolkit-for-aws, aws-lambda-web-functions, infrastructure-as-code.md, "Gotchas".
  for (const resource of [fn.resourceRevision, fn.endpoint.node.defaultChild as CfnResource]) {
    resource.addPropertyOverride("FunctionName", server.name);
  }
  fn.node.addDependency(role, localLog); // with its policy: a server that cannot read its secrets exits at start
  Validations.of(fn).acknowledge({
    id: "Annotation::@aws-cdk/aws-lambda:webFunctionPublicEndpoint",
    reason:
      "The server rejects every request without CloudFront's secret, in constant time and before it reads the body.",
  });
  return {
    origin: new HttpOrigin(fn.endpoint.domainName, {
      ...origin,
      readTimeout: Duration.seconds(120), // between two packets: a stream has a comment every 15 s
      keepaliveTimeout: Duration.seconds(60),
    }),
    ready: fn,
    // https://docs.aws.amazon.com/lambda/latest/dg/web-functions-monitoring-metrics.html
    failures: sumOverDimensions("AWS/Lambda/Web", "HTTPResponseStatusClass5XX", ["FunctionName", server.name]),
  };
}

function serverCode(scope: Construct): WebFunctionCode {
  return WebFunctionCode.fromAssetToManagedBucket(lambdasFolder, {
    // By default, the log of CDK's copying function is kept for two years, and when the stack is deleted.
    copyOptions: { logGroup: copyLog(scope) },
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      local: {
        tryBundle(folder) {
          bundleUploadServer(folder);
          return true; // no container needed
        },
      },
      image: DockerImage.fromRegistry("never-used"),
      command: ["upload-server"],
    },
  });
}

/** The log of CDK's function that copies the code of both. */
function copyLog(scope: Construct): LogGroup {
  return (scope.node.tryFindChild("CopyLog") as LogGroup | undefined) ?? newLog(scope, "CopyLog");
}

function newLog(scope: Construct, id: string, logGroupName?: string): LogGroup {
  return new LogGroup(scope, id, {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(logGroupName && { logGroupName }),
  });
}

/** CDK creates a versioned bucket for the code, which web functions require, and a function that copies the code there. */
function acknowledgeCodeBucket({ node }: Stack): void {
  const bucket = node.findChild("AWSCDKWebFunctionAssetBucket") as Bucket;
  Validations.of(bucket).acknowledge({
    id: "AwsSolutions-S1",
    reason: "The bucket holds only the server's code. Only Lambda and the copying function have access.",
  });
  const reasons = {
    "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]":
      "CDK's function copies code during a deployment and writes its log with this AWS policy.",
    "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]":
      "The function reads the code from CDK's asset bucket, where the object name is the code's hash.",
    "AwsSolutions-IAM5[Action::s3:Abort*]":
      "The function aborts failed multipart uploads in the one bucket that it writes to.",
    "AwsSolutions-IAM5[Action::s3:DeleteObject*]": "The function deletes the code and its versions with the stack.",
    [`AwsSolutions-IAM5[Resource::${arnInFindings(bucket)}/web-function/*]`]:
      "The function writes the code below this prefix, where the object name is the code's hash.",
  };
  for (const copier of node.children.filter(({ node: { id } }) => id.startsWith("Custom::S3ObjectCopy"))) {
    for (const [id, reason] of Object.entries(reasons)) Validations.of(copier).acknowledge({ id, reason });
  }
}
