import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type SchemaObject } from "ajv/dist/2020.js";
import type { Agent } from "./types.ts";

/** What an agent file says of an agent, with the schema's defaults filled in. */
export type AgentDefinition = Omit<Agent, "id" | "organizationId" | "status">;

/**
 * Checks an agent file's text against `schemas/agent.schema.json`. `problems`: one sentence each, all there are.
 * For operators' tools: it compiles the schema when it is called, which a request handler has no time for.
 */
export function parseAgentFile(text: string): { fields: AgentDefinition } | { problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, "")); // some editors begin a file with a byte order mark
  } catch (error) {
    return { problems: [`it is not JSON (${error instanceof Error ? error.message : String(error)})`] };
  }
  const schema = JSON.parse(
    readFileSync(new URL("../../schemas/agent.schema.json", import.meta.url), "utf8"),
  ) as SchemaObject;
  const validate = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true }).compile<
    AgentDefinition & { $schema?: string }
  >(schema);
  if (!validate(value)) return { problems: (validate.errors ?? []).map(problem) };
  const { $schema: _, ...fields } = value;
  const problems = conflicts(fields);
  return problems.length > 0 ? { problems } : { fields };
}

/** Bytes of UTF-8, as JSON: DynamoDB takes 400 KB for an item. */
const maxBytes = 350_000;

/** What no schema of a single field can say. */
function conflicts(fields: AgentDefinition): string[] {
  const { limits, runLimits, prices, mcp = [] } = fields;
  const bytes = Buffer.byteLength(JSON.stringify(fields));
  if (bytes > maxBytes)
    return [`all fields together have ${bytes} bytes of UTF-8, and at most ${maxBytes} are accepted`];
  const names = mcp.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index));
  const problems = [...twice].map((name) => `mcp names two servers ${JSON.stringify(name)}; each needs its own name`);
  if (prices) return problems;
  const inDollars = Object.entries({ limits, runLimits }).filter(([, of]) => of?.dollars !== undefined);
  return [...problems, ...inDollars.map(([field]) => `prices is missing; ${field}.dollars counts with it`)];
}

function problem({ instancePath, keyword, params, message = "is wrong", data }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll("/", ".");
  const field = (name: unknown): string => (place ? `${place}.${String(name)}` : String(name));
  if (keyword === "required") return `${field(params["missingProperty"])} is missing`;
  if (keyword === "additionalProperties") {
    return `${field(params["additionalProperty"])} is not a field of an agent file`;
  }
  const accepted = keyword === "enum" ? `must be one of ${(params["allowedValues"] as string[]).join(", ")}` : message;
  const received = JSON.stringify(data) ?? "nothing";
  return `${place || "the file"} ${accepted}, not ${received.length > 80 ? `${received.slice(0, 80)}…` : received}`;
}
