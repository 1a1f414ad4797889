import { Template } from "aws-cdk-lib/assertions";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";
import type { Resource } from "./synth.ts";

/** The front door's stack, with `context` over `cdk.json`. `bundled`: with the server's code. */
export function synthesiseFrontDoor({ context = {}, bundled = false }: { context?: object; bundled?: boolean } = {}) {
  const skip = bundled ? { "aws:cdk:bundling-stacks": ["AgentRunFrontDoor-*"] } : { "aws:cdk:bundling-stacks": [] };
  const { app, stack, frontDoor } = serviceApp({ ...cdkJson.context, ...skip, ...context });
  if (!frontDoor) throw new Error("large bodies are off");
  const template = Template.fromStack(frontDoor);
  const resources = template.toJSON()["Resources"] as Record<string, Resource>;
  const properties = (type: string): Record<string, unknown>[] =>
    Object.values(resources).flatMap((each) => (each.Type === type ? [each.Properties] : []));
  return { app, service: Template.fromStack(stack), template, properties };
}
