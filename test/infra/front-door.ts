import { Template } from "aws-cdk-lib/assertions";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";
import type { Resource } from "./synth.ts";

const synthesized = new Map<string, ReturnType<typeof synthesizeOnce>>();

/** Synthesizes the front door with the settings of `cdk.json`, overridden by `context`. `bundled`: with its code. */
export function synthesizeFrontDoor(options: { context?: object; bundled?: boolean } = {}) {
  const key = JSON.stringify(options);
  const known = synthesized.get(key) ?? synthesizeOnce(options);
  synthesized.set(key, known);
  return known;
}

function synthesizeOnce({ context = {}, bundled = false }: { context?: object; bundled?: boolean }) {
  const skip = bundled ? { "aws:cdk:bundling-stacks": ["AgentRunFrontDoor-*"] } : { "aws:cdk:bundling-stacks": [] };
  const { app, stack, frontDoor } = serviceApp({ ...cdkJson.context, ...skip, ...context });
  if (!frontDoor) throw new Error("largeBodies is off: there is no front door");
  const template = Template.fromStack(frontDoor);
  const resources = template.toJSON()["Resources"] as Record<string, Resource>;
  const properties = (type: string): Record<string, unknown>[] =>
    Object.values(resources).flatMap((each) => (each.Type === type ? [each.Properties] : []));
  return { app, service: Template.fromStack(stack), template, properties };
}
