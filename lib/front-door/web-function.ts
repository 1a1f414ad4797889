import { AssetHashType, DockerImage, Duration, Stack, Validations } from "aws-cdk-lib";
import type { OriginProps } from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { WebFunction, WebFunctionAuthType, WebFunctionCode, WebFunctionRuntime } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { entries } from "../bundle-options.ts";
import { bundleServer, grantServer, type LargeBodyOrigin, type LargeBodyServer } from "./server.ts";
import { arnInFindings } from "../service-function.ts";

/** The large-body server as a Lambda Web Function: nothing runs, and nothing is paid for, while nobody sends anything. */
export function webFunctionOrigin(scope: Construct, server: LargeBodyServer, origin: OriginProps): LargeBodyOrigin {
  const role = new Role(scope, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  server.logGroup.grantWrite(role);
  const fn = new WebFunction(scope, "WebFunction", {
    webFunctionName: server.name,
    code: WebFunctionCode.fromAssetToManagedBucket(entries, {
      assetHashType: AssetHashType.OUTPUT,
      bundling: {
        local: { tryBundle: bundleServer },
        image: DockerImage.fromRegistry("never-used"),
        command: ["upload-server"],
      },
    }),
    runtime: WebFunctionRuntime.NODEJS_24_X,
    role,
    environment: grantServer(role, server),
    logGroup: server.logGroup,
    timeout: Duration.seconds(180),
    // 16 bodies of at most 20 MiB fit the memory for bodies, so that none waits for another: Lambda adds environments.
    maxConcurrencyPerEnvironment: 16,
    // The server asks for its secret itself: with IAM every viewer would have to send its body's hash.
    defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
  });
  fn.node.addDependency(role); // with its rights: a server that may not read its secrets ends as it starts
  Validations.of(fn).acknowledge({
    id: "Annotation::@aws-cdk/aws-lambda:webFunctionPublicEndpoint",
    reason:
      "The server refuses every request without CloudFront's secret, in constant time and before its body is read.",
  });
  acknowledgeCodeBucket(Stack.of(scope));
  return {
    origin: new HttpOrigin(fn.endpoint.domainName, {
      ...origin,
      readTimeout: Duration.seconds(120),
      keepaliveTimeout: Duration.seconds(60),
    }),
    ready: fn,
  };
}

/** CDK makes a bucket for the code, and a function that copies it there: web functions read a versioned bucket. */
function acknowledgeCodeBucket({ node }: Stack): void {
  const bucket = node.findChild("AWSCDKWebFunctionAssetBucket") as Bucket;
  Validations.of(bucket).acknowledge({
    id: "AwsSolutions-S1",
    reason: "It holds the server's code and nothing else; only Lambda and the function that copies it have access.",
  });
  const answers = {
    "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]":
      "It copies code when the stack is deployed, and writes its log with AWS's own policy for that.",
    "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]":
      "It reads the code from CDK's bucket, where the name is the code's hash.",
    "AwsSolutions-IAM5[Action::s3:Abort*]":
      "It copies into the bucket that it may write to, and cleans up after itself.",
    "AwsSolutions-IAM5[Action::s3:DeleteObject*]": "It removes the code, and its versions, with the stack.",
    [`AwsSolutions-IAM5[Resource::${arnInFindings(bucket)}/web-function/*]`]:
      "It writes the code below this prefix, where the name is the code's hash.",
  };
  for (const copier of node.children.filter(({ node: { id } }) => id.startsWith("Custom::S3ObjectCopy"))) {
    for (const [id, reason] of Object.entries(answers)) Validations.of(copier).acknowledge({ id, reason });
  }
}
