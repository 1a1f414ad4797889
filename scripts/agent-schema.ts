import { fileURLToPath } from "node:url";
import { agentDefinition } from "../src/accounts/agents/agent-schema.ts";

/** The schema of agent files, for editors. */
export const agentSchemaFile = fileURLToPath(new URL("../schemas/agent.schema.json", import.meta.url));

/** The schema of agent files as JSON. */
export function agentSchemaSource(): string {
  const head = { $schema: "https://json-schema.org/draft/2020-12/schema", title: "Agent file" };
  return `${JSON.stringify({ ...head, ...agentDefinition }, undefined, 2)}\n`;
}
