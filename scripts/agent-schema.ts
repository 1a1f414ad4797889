import { fileURLToPath } from "node:url";
import agentSchema from "../schemas/agent.schema.json" with { type: "json" };
import { defaultTools, toolDefinitions } from "../src/agent/tools/definitions.ts";

/** The schema of agent files. Only the names of tools are generated. */
export const agentSchemaFile = fileURLToPath(new URL("../schemas/agent.schema.json", import.meta.url));

const { $schema, title, ...schema } = agentSchema;
const names = { items: { type: "string", enum: toolDefinitions.map(({ name }) => name) }, default: defaultTools };
const properties = { ...schema.properties, tools: { ...schema.properties.tools, ...names } };

/** The schema of agent files, with the names of the current tools, as a part of another document. */
export const agentDefinition = { ...schema, properties };

/** Returns the schema of agent files as JSON, with the names of the current tools. */
export function agentSchemaSource(): string {
  return `${JSON.stringify({ $schema, title, ...agentDefinition }, undefined, 2)}\n`;
}
