import cdkJson from "../cdk.json" with { type: "json" };
import { serviceApp } from "../lib/service-app.ts";

/** What of the deployed stacks has a price: memory of the functions in GB, and how many of everything else. */
export interface Priced {
  memory: (name: string) => number;
  alarms: number;
  dashboards: number;
  routes: number;
  secrets: number;
  retentionDays: number;
  /** What takes the large bodies where `largeBodies` is `fargate`. */
  fargate: { task: { processors: number; gigabytes: number }; balancers: number; alarms: number };
}

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

let synthesized: Priced | undefined;

/** From both stacks' templates, with the settings of `cdk.json`; synthesized once in a process. */
export function pricedStacks(): Priced {
  return (synthesized ??= priced());
}

function priced(): Priced {
  const { service, frontDoor } = resourcesOf(cdkJson.context.largeBodies);
  const ofFargate = resourcesOf("fargate").frontDoor;
  const [, task] = all(ofFargate, "AWS::ECS::TaskDefinition")[0] ?? [];
  const functions = all(service, "AWS::Lambda::Function");
  return {
    memory(name) {
      const [, found] = functions.find(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? [];
      if (!found) throw new Error(`there is no function ${name} in the template`);
      return Number(found["MemorySize"]) / 1024;
    },
    alarms: all(service, "AWS::CloudWatch::Alarm").length,
    dashboards: all(service, "AWS::CloudWatch::Dashboard").length,
    routes: all(service, "AWS::ApiGatewayV2::Route").length,
    secrets: all(frontDoor, "AWS::SecretsManager::Secret").length,
    retentionDays: cdkJson.context.retentionDays,
    fargate: {
      task: { processors: Number(task?.["Cpu"]) / 1024, gigabytes: Number(task?.["Memory"]) / 1024 },
      balancers: all(ofFargate, "AWS::ElasticLoadBalancingV2::LoadBalancer").length,
      // A policy that keeps a target makes one for going up and one for going down.
      alarms: 2 * all(ofFargate, "AWS::ApplicationAutoScaling::ScalingPolicy").length,
    },
  };
}

function resourcesOf(largeBodies: string): { service: Resources; frontDoor: Resources } {
  const { app, stack, frontDoor } = serviceApp({ ...cdkJson.context, "aws:cdk:bundling-stacks": [], largeBodies });
  const assembly = app.synth();
  const resources = (id: string | undefined): Resources =>
    id === undefined ? {} : (assembly.getStackArtifact(id).template as { Resources: Resources }).Resources;
  return { service: resources(stack.artifactId), frontDoor: resources(frontDoor?.artifactId) };
}

/** Logical ids and properties of one type of resource. */
function all(resources: Resources, type: string): [id: string, properties: Record<string, unknown>][] {
  return Object.entries(resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => [id, Properties]);
}
