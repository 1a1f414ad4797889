import { hash } from "node:crypto";
import { canonicalJson } from "../../json.ts";
import type { Agent, AgentDefinition } from "../account-types.ts";

/** The definition of an agent, without the facts about its record. */
export function definitionOf(agent: Agent): AgentDefinition {
  const { id: _id, organizationId: _organization, status: _status, revision: _revision, ...more } = agent;
  const { version: _version, createdAt: _created, updatedAt: _updated, ...definition } = more;
  return definition;
}

/** SHA-256 (hex) of a definition as canonical JSON. The order of fields counts only in schemas, which models follow. */
export function definitionHash(definition: AgentDefinition): string {
  return hash("sha256", canonicalJson(withSchemaText(definition)));
}

type ClientTool = NonNullable<AgentDefinition["clientTools"]>[number];

/** The fields of a definition with schemas. */
type WithSchemas = Pick<AgentDefinition, "result" | "clientTools">;

/** A definition with its schemas as JSON text: stores do not keep the order of their fields, or limit their depth. */
type WithSchemaText<Definition> = Omit<Definition, keyof WithSchemas> & {
  result?: Omit<NonNullable<AgentDefinition["result"]>, "schema"> & { schema?: string };
  clientTools?: (Omit<ClientTool, "input"> & { input: string })[];
};

export function withSchemaText<Definition extends WithSchemas>(definition: Definition): WithSchemaText<Definition> {
  const { result, clientTools, ...others } = definition;
  const { schema, ...settings } = result ?? {};
  return {
    ...others,
    ...(result && { result: { ...settings, ...(schema && { schema: JSON.stringify(schema) }) } }),
    ...(clientTools && {
      clientTools: clientTools.map(({ name, description, input }) => ({
        name,
        description,
        input: JSON.stringify(input),
      })),
    }),
  };
}

/** The definition that `withSchemaText` was given. */
export function withSchema<Definition extends WithSchemas>(stored: WithSchemaText<Definition>): Definition {
  const { result, clientTools, ...others } = stored;
  const { schema, ...settings } = result ?? {};
  return {
    ...others,
    ...(result && { result: { ...settings, ...(schema !== undefined && { schema: JSON.parse(schema) as object }) } }),
    ...(clientTools && {
      clientTools: clientTools.map(({ name, description, input }) => ({
        name,
        description,
        input: JSON.parse(input) as object,
      })),
    }),
  } as unknown as Definition;
}

/** The schema of the results of an agent's turns, as turns take it. Empty: their output is any text. */
export function resultSchemaOf({ result }: Pick<AgentDefinition, "result">): { resultSchema?: object } {
  return result?.schema ? { resultSchema: result.schema } : {};
}
