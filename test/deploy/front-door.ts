import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { signedHeaders } from "../../src/platform/aws/sdk/sign-request.ts";
import { newStandIn } from "./callers.ts";
import { assembly, cdk, frontDoorName } from "./cdk.ts";
import { emulated, endpoint, stackOutputs } from "./service.ts";

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown }>;
}

/** A placeholder for the web function's address. Nothing connects to it. */
const elsewhere = "large-bodies.invalid";

/**
 * Deploys the front door as it was synthesised beside the service, but for its web functions: MiniStack refuses the three
 * types that make one. The environments that they would have become outputs.
 */
export async function deployFrontDoor(): Promise<void> {
  const path = join(assembly, `${frontDoorName}.template.json`);
  const template = JSON.parse(readFileSync(path, "utf8")) as Template;
  const { Resources, Outputs } = template;
  const idsOf = (type: string) => Object.keys(Resources).filter((id) => Resources[id]?.Type.startsWith(type));

  // Creates first, then streams: the order in which the stack makes them.
  const revisions = idsOf("AWS::Lambda::WebFunctionRevision");
  for (const [index, name] of ["Environment", "StreamsEnvironment"].entries()) {
    const service = Resources[revisions[index] ?? ""]?.Properties["ServiceConfig"] as
      | { EnvironmentVariables: object }
      | undefined;
    if (!service)
      throw new Error(`${path} has ${revisions.length} web functions; the deploy test takes its environment from two`);
    const lines = Object.entries(service.EnvironmentVariables).map(([variable, value]) => ({
      "Fn::Join": ["=", [variable, value]],
    }));
    Outputs[name] = { Value: { "Fn::Join": ["\n", lines] } };
  }
  Outputs["DistributionId"] = { Value: { Ref: idsOf("AWS::CloudFront::Distribution")[0] } };
  Outputs["RoleName"] = { Value: { Ref: idsOf("AWS::IAM::Role").find((id) => id.startsWith("Role")) } };
  Outputs["StreamsRoleName"] = { Value: { Ref: idsOf("AWS::IAM::Role").find((id) => id.startsWith("StreamsRole")) } };
  Outputs["CodeBucketName"] = { Value: { Ref: idsOf("AWS::S3::Bucket")[0] } };

  const unknown = idsOf("AWS::Lambda::WebFunction");
  for (const id of unknown) delete Resources[id];
  const refersToUnknown = (value: { Ref?: string; "Fn::GetAtt"?: string[] } | null) =>
    unknown.includes(value?.Ref ?? value?.["Fn::GetAtt"]?.[0] ?? "");
  writeFileSync(
    path,
    JSON.stringify(template, (_, value) => (refersToUnknown(value) ? elsewhere : value)),
  );
  await cdk("deploy", frontDoorName, "--exclusively");
}

/** The front door as it was deployed: what its distribution sends where, and the environments of its servers. */
export async function deployedFrontDoor() {
  const { DistributionId = "", ...outputs } = await stackOutputs(frontDoorName);
  const url = new URL(`/2020-05-31/distribution/${DistributionId}`, endpoint());
  const headers = await signedHeaders({ aws: emulated(), service: "cloudfront", method: "GET", url, body: "" });
  const answer = await fetch(url, { headers });
  const distribution = await answer.text();
  return {
    /** Host of the requests to API Gateway. */
    host: /<DomainName>([^<]+\.execute-api\.[^<]+)</.exec(distribution)?.[1] ?? "",
    secret: unescaped(/<HeaderName>x-origin-secret<\/HeaderName><HeaderValue>([^<]+)</.exec(distribution)?.[1] ?? ""),
    /** With the credentials of a test user that has the permissions of the server's role. */
    creates: { ...variablesIn(outputs["Environment"]), ...(await newStandIn("creates", outputs["RoleName"] ?? "")) },
    streams: {
      ...variablesIn(outputs["StreamsEnvironment"]),
      ...(await newStandIn("streams", outputs["StreamsRoleName"] ?? "")),
    },
  };
}

function variablesIn(environment = ""): Record<string, string> {
  return parseEnv(environment) as Record<string, string>;
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(xml: string): string {
  return xml.replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
