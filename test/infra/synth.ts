import { Template } from "aws-cdk-lib/assertions";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string | undefined;
}

/** Stacks by their options. A worker runs several files, and most of them read the default stack. */
const synthesized = new Map<string, ReturnType<typeof synthesizeOnce>>();

/** Synthesizes the stack with the settings of `cdk.json`, overridden by `context`. `bundled: false` is fast: no code. */
export function synthesize(options: { context?: object; bundled?: boolean } = {}) {
  const key = JSON.stringify(options);
  const known = synthesized.get(key) ?? synthesizeOnce(options);
  synthesized.set(key, known);
  return known;
}

function synthesizeOnce({ context = {}, bundled = false }: { context?: object; bundled?: boolean }) {
  const skip = bundled ? {} : { "aws:cdk:bundling-stacks": [] };
  const { app, stack } = serviceApp({ ...cdkJson.context, ...skip, ...context });
  const template = Template.fromStack(stack);
  const resources = template.toJSON()["Resources"] as Record<string, Resource>;
  return {
    app,
    stack,
    template,
    resources,
    /** Logical ids without hashes, and properties, of one resource type. */
    all: (type: string): [string, Record<string, unknown>][] =>
      Object.entries(resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties }]) => [plain(id), Properties ?? {}]),
  };
}

/** A template value with references as short text: `<Table.Arn>/index/*`. */
export function short(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(short);
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  const {
    Ref,
    "Fn::GetAtt": attribute,
    "Fn::Join": joined,
    "Fn::Select": selected,
    "Fn::Split": split,
    "Fn::Sub": template,
  } = fields;
  if (Ref === "AWS::Partition") return "aws"; // so that complete ARNs stay valid
  if (typeof Ref === "string") return `<${plain(Ref)}>`;
  if (Array.isArray(attribute)) return `<${plain(String(attribute[0]))}.${attribute[1]}>`;
  if (Array.isArray(joined)) return (joined[1] as unknown[]).map(short).join(String(joined[0]));
  if (Array.isArray(selected)) return `${String(short(selected[1]))}[${String(selected[0])}]`;
  if (Array.isArray(split)) return `${String(short(split[1]))}.split(${String(split[0])})`;
  if (typeof template === "string")
    return template.replaceAll(/\$\{([\w:]+)\}/g, "<$1>").replaceAll("<AWS::Partition>", "aws");
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, short(each)]));
}

/** Removes the eight hash digits that CDK appends to a logical id. */
export function plain(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, "");
}
