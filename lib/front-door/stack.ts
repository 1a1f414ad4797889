import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CfnOutput, Duration, Fn, Stack, Validations } from "aws-cdk-lib";
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginRequestPolicy,
  type OriginProps,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import type { Construct } from "constructs";
import { operations } from "../../src/v1/contract.ts";
import { originSecretHeader } from "../../src/http/server/origin-secret.ts";
import { streamCheckPath } from "../../src/http/server/stream-check.ts";
import { FrontDoorAlarms } from "./alarms.ts";
import { fargateOrigin } from "./fargate.ts";
import type { UploadHosting } from "./hosting.ts";
import {
  largeBodiesOriginId,
  sharedOutputs,
  streamsOriginId,
  type UploadOrigin,
  uploadServer,
  type UploadServer,
} from "./server.ts";
import { viewerRequestCode } from "./viewer-request.ts";
import { webFunctionOrigin } from "./web-function.ts";
import { frontDoorStackName } from "../outputs.ts";
import type { Settings } from "../settings.ts";
import { sharedValues } from "../shared-values.ts";
import { terminationProtection } from "../termination-protection.ts";

const origins: Record<UploadHosting, (scope: Construct, server: UploadServer, origin: OriginProps) => UploadOrigin> = {
  "web-function": webFunctionOrigin,
  fargate: fargateOrigin,
};

/** CloudFront caches errors by default. They belong to one API key, which is not part of the cache key. */
const uncachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/**
 * One address for the whole service: creates over 1 MB and streams of events go to the upload server, everything else to API
 * Gateway.
 */
export class FrontDoorStack extends Stack {
  constructor(scope: Construct, service: Stack, hosting: UploadHosting, settings: Settings) {
    const stackName = frontDoorStackName(settings.stage);
    super(scope, stackName, {
      stackName,
      description: "Agent Run Service: one address for small and large requests",
      terminationProtection: terminationProtection(scope, stackName, settings),
    });
    const { domain, certificate } = settings;

    const values = sharedValues(service, this, settings.stage, sharedOutputs);
    const server = uploadServer(this, hosting, settings, values);
    const apiGateway = new HttpOrigin(Fn.select(2, Fn.split("/", values.ApiUrl)));
    const {
      origin: largeBodies,
      streams,
      ready,
      failures,
    } = origins[hosting](this, server, {
      originId: largeBodiesOriginId,
      customHeaders: { [originSecretHeader]: server.secrets[0]?.secretValue.unsafeUnwrap() ?? "" },
    });

    const streamsOrigin = streams ? streamsOriginId : largeBodiesOriginId;
    const uncached = {
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway and web functions reject a Host header other than their own.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    };
    // An id for each target: CloudFormation publishes a changed function before it adds what the function selects. A new one is
    // used with the distribution's update.
    const route = new Function(this, `Route-${streamsOrigin}`, {
      code: FunctionCode.fromInline(viewerRequestCode(streamsOrigin)),
      runtime: FunctionRuntime.JS_2_0,
      comment: "Selects the origin by body size and Accept header, and rejects large bodies early",
    });
    const functionAssociations = [{ function: route, eventType: FunctionEventType.VIEWER_REQUEST }];
    const distribution = new Distribution(this, "Distribution", {
      comment: this.stackName,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain !== "" && {
        domainNames: [domain],
        certificate: Certificate.fromCertificateArn(this, "Certificate", certificate),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      defaultBehavior: { ...uncached, origin: apiGateway, functionAssociations },
      additionalBehaviors: {
        [operations.openapi.path]: {
          origin: apiGateway,
          allowedMethods: AllowedMethods.ALLOW_ALL, // the service itself answers 405
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          cachePolicy: new CachePolicy(this, "Description", {
            comment: "The OpenAPI document changes only with a deployment",
            defaultTtl: Duration.minutes(5),
            maxTtl: Duration.hours(1),
            enableAcceptEncodingBrotli: true,
            enableAcceptEncodingGzip: true,
          }),
        },
        // CloudFront requires a behavior for every origin. The function selects this one, and answers 404 for the path.
        "/large-bodies-are-chosen-by-size": { ...uncached, origin: largeBodies, functionAssociations },
        // For the smoke test, and so that there is a behavior with the origin of streams.
        [streamCheckPath]: {
          ...uncached,
          origin: streams?.origin ?? largeBodies,
          allowedMethods: AllowedMethods.ALLOW_GET_HEAD, // nobody sends it a body
        },
      },
      errorResponses: uncachedErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    distribution.node.addDependency(ready, ...(streams ? [streams.ready] : []));
    new FrontDoorAlarms(this, {
      stackName: service.stackName,
      topicArn: values.AlarmTopicArn,
      failures,
      ...(streams && { failedStreams: streams.failures }),
      distribution,
    });
    new CfnOutput(this, "BaseUrl", {
      value: `https://${domain || distribution.distributionDomainName}`,
      description: "Base URL for clients",
    });
    if (domain !== "") {
      new CfnOutput(this, "CloudFrontDomain", {
        value: distribution.distributionDomainName,
        description: `Target of the CNAME record of ${domain}`,
      });
    }

    const reasons = {
      "AwsSolutions-CFR1": "The API serves every country. API keys decide who can use it.",
      "AwsSolutions-CFR2":
        "WAF inspects only the first kilobytes of a body and has a base fee. API keys and throttling protect the API.",
      "AwsSolutions-CFR3":
        "Both origins log every request with its id. Without an edge log, no API key can be logged there.",
      ...(domain === "" && {
        "AwsSolutions-CFR4": "With CloudFront's default certificate, CloudFront sets the minimum TLS version.",
      }),
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(distribution).acknowledge({ id, reason });
  }
}
