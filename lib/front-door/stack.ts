import { join } from "node:path";
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
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import type { Construct } from "constructs";
import { operations } from "../../src/api/contract.ts";
import { originSecretHeader } from "../../src/api/server/origin-secret.ts";
import { fargateOrigin } from "./fargate.ts";
import type { LargeBodyHome } from "./hosting.ts";
import {
  type LargeBodyOrigin,
  largeBodyServer,
  type LargeBodyServer,
  type SharedNames,
  sharedOutputs,
} from "./server.ts";
import { webFunctionOrigin } from "./web-function.ts";
import type { Settings } from "../settings.ts";

const origins: Record<
  LargeBodyHome,
  (scope: Construct, server: LargeBodyServer, origin: OriginProps) => LargeBodyOrigin
> = {
  "web-function": webFunctionOrigin,
  fargate: fargateOrigin,
};

/** Nothing is kept at the edge, answers to failed requests neither: they belong to one key, which is no part of a cache key. */
const uncachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** One address for the whole contract: creates over 3 MB go to the large-body server, all the rest to API Gateway. */
export class FrontDoorStack extends Stack {
  constructor(scope: Construct, service: Stack, home: LargeBodyHome, settings: Settings) {
    super(scope, `AgentRunFrontDoor-${settings.stage}`, {
      description: "Agent Run Service: one address for small and large requests",
    });
    this.addStackDependency(service);
    const { domain, certificate } = settings;

    const names = sharedNames(service, this, settings.stage);
    const server = largeBodyServer(this, home, settings, names);
    const apiGateway = new HttpOrigin(Fn.select(2, Fn.split("/", names.ApiUrl)));
    const { origin: largeBodies, ready } = origins[home](this, server, {
      originId: "large-bodies", // as the viewer-request function calls it
      customHeaders: { [originSecretHeader]: server.secrets[0]?.secretValue.unsafeUnwrap() ?? "" },
    });

    const uncached = {
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway and web functions know no other host's requests.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    };
    const route = new Function(this, "Route", {
      code: FunctionCode.fromFile({ filePath: join(import.meta.dirname, "viewer-request.js") }),
      runtime: FunctionRuntime.JS_2_0,
      comment: "Chooses the origin by a body's size",
    });
    const distribution = new Distribution(this, "Distribution", {
      comment: this.stackName,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain !== "" && {
        domainNames: [domain],
        certificate: Certificate.fromCertificateArn(this, "Certificate", certificate),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      defaultBehavior: {
        ...uncached,
        origin: apiGateway,
        functionAssociations: [{ function: route, eventType: FunctionEventType.VIEWER_REQUEST }],
      },
      additionalBehaviors: {
        [operations.openapi.path]: {
          origin: apiGateway,
          allowedMethods: AllowedMethods.ALLOW_ALL, // the service words the 405, too
          viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
          cachePolicy: new CachePolicy(this, "Description", {
            comment: "The machine-readable description changes with a deployment",
            defaultTtl: Duration.minutes(5),
            maxTtl: Duration.hours(1),
            enableAcceptEncodingBrotli: true,
            enableAcceptEncodingGzip: true,
          }),
        },
        // Only an origin that some path names is part of a distribution. This one is there for the function.
        "/large-bodies-are-chosen-by-size": { ...uncached, origin: largeBodies },
      },
      errorResponses: uncachedErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    distribution.node.addDependency(ready);
    new CfnOutput(this, "BaseUrl", {
      value: `https://${domain || distribution.distributionDomainName}`,
      description: "Base address for HTTP clients: the whole contract, bodies of any size",
    });
    if (domain !== "") {
      new CfnOutput(this, "CloudFrontDomain", {
        value: distribution.distributionDomainName,
        description: `What ${domain} has to be a CNAME of`,
      });
    }

    const answers = {
      "AwsSolutions-CFR1": "The API is for every country; its keys say who may use it.",
      "AwsSolutions-CFR2":
        "A firewall looks at the first kilobytes of a body and costs a base fee; keys and throttles guard the API.",
      "AwsSolutions-CFR3": "Both origins log every request with its id; no log at the edge means no key in one.",
      ...(domain === "" && {
        "AwsSolutions-CFR4": "With CloudFront's own certificate the TLS version is CloudFront's to choose.",
      }),
    };
    for (const [id, reason] of Object.entries(answers)) Validations.of(distribution).acknowledge({ id, reason });
  }
}

/**
 * Outputs of the service stack for the front door, by way of parameters of Systems Manager: exports would tie the two
 * stacks, so that the service could not be changed without its front door, or outlive it.
 */
function sharedNames(service: Stack, frontDoor: Stack, stage: string): SharedNames {
  const entries = sharedOutputs.map((name) => {
    const parameterName = `/agent-run-service/${stage}/${name}`;
    const { value } = service.node.findChild(name) as CfnOutput;
    new StringParameter(service, `${name}Parameter`, { parameterName, stringValue: String(value) });
    return [name, StringParameter.valueForStringParameter(frontDoor, parameterName)];
  });
  return Object.fromEntries(entries) as SharedNames;
}
