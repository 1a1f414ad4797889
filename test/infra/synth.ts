import { Template } from "aws-cdk-lib/assertions";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
}

/** The stack as `cdk.json` has it, with `context` over it. `bundled: false` leaves the functions' code out: fast. */
export function synthesise({ context = {}, bundled = false }: { context?: object; bundled?: boolean } = {}) {
  const skip = bundled ? {} : { "aws:cdk:bundling-stacks": [] };
  const { app, stack } = serviceApp({ ...cdkJson.context, ...skip, ...context });
  const template = Template.fromStack(stack);
  const resources = template.toJSON()["Resources"] as Record<string, Resource>;
  return {
    app,
    stack,
    template,
    resources,
    /** Logical ids without their hashes, with properties, of one type of resource. */
    all: (type: string): [string, Record<string, unknown>][] =>
      Object.entries(resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties }]) => [plain(id), Properties ?? {}]),
  };
}

/** A value of the template with its references as short text: `<Table.Arn>/index/*`. */
export function short(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(short);
  if (typeof value !== "object" || value === null) return value;
  const { Ref, "Fn::GetAtt": attribute, "Fn::Join": joined } = value as Record<string, unknown>;
  if (Ref === "AWS::Partition") return "aws"; // whole ARNs stay valid
  if (typeof Ref === "string") return `<${plain(Ref)}>`;
  if (Array.isArray(attribute)) return `<${plain(String(attribute[0]))}.${attribute[1]}>`;
  if (Array.isArray(joined)) return (joined[1] as unknown[]).map(short).join(String(joined[0]));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, short(each)]));
}

/** CDK ends a logical id with eight digits of a hash. */
function plain(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, "");
}
