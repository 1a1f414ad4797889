import { hash } from "node:crypto";
import { canonicalJson } from "../json.ts";
import type { Agent, AgentDefinition } from "./types.ts";

/** The definition of an agent, without the facts about its record. */
export function definitionOf(agent: Agent): AgentDefinition {
  const { id: _id, organizationId: _organization, status: _status, revision: _revision, ...more } = agent;
  const { version: _version, createdAt: _created, updatedAt: _updated, ...definition } = more;
  return definition;
}

/** SHA-256 (hex) of a definition as canonical JSON. The order of fields counts only in the schema of results, which models follow. */
export function definitionHash(definition: AgentDefinition): string {
  return hash("sha256", canonicalJson(withSchemaText(definition)));
}

/** A definition with the schema of its results as JSON text. */
type WithSchemaText<Definition> = Omit<Definition, "result"> & {
  result?: Omit<NonNullable<AgentDefinition["result"]>, "schema"> & { schema?: string };
};

export function withSchemaText<Definition extends Pick<AgentDefinition, "result">>(
  definition: Definition,
): WithSchemaText<Definition> {
  const { result, ...others } = definition;
  if (!result) return others;
  const { schema, ...settings } = result;
  return { ...others, result: { ...settings, ...(schema && { schema: JSON.stringify(schema) }) } };
}

/** The definition that `withSchemaText` was given. */
export function withSchema<Definition extends Pick<AgentDefinition, "result">>(
  stored: WithSchemaText<Definition>,
): Definition {
  const { result, ...others } = stored;
  if (result?.schema === undefined) return stored as unknown as Definition;
  return { ...others, result: { ...result, schema: JSON.parse(result.schema) as object } } as unknown as Definition;
}

/** The schema of the results of an agent's turns, as turns take it. Empty: their output is any text. */
export function resultSchemaOf({ result }: Pick<AgentDefinition, "result">): { resultSchema?: object } {
  return result?.schema ? { resultSchema: result.schema } : {};
}
