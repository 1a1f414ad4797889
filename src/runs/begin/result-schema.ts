import { hash } from "node:crypto";
import type { Agent, AgentDefinition } from "../../accounts/account-types.ts";
import { ServiceError } from "../../errors.ts";
import type { Configurations } from "../ports.ts";
import type { Run } from "../run-types.ts";

/**
 * The schema that a create brings. `check`: rejects one that cannot be used (`ownSchema`). Callers pass it, so that the
 * function of v1, whose creates bring none, does not contain it.
 */
export interface OwnSchema {
  schema: object;
  check: (schema: object) => Promise<void>;
}

/** Rejects a run's own schema, unless its agent allows it. */
export function requireSchemaAllowed({ result }: Pick<Agent, "result">): void {
  if (result?.perRun) return;
  const message = "this agent does not accept result_schema: an operator sets result.perRun to true in its agent file";
  throw new ServiceError("result_schema_not_allowed", message);
}

/** Stores a run's own schema. Resolves with its hash. The order of its fields is kept: models follow it. */
export async function storeSchema(configurations: Configurations, agentId: string, schema: object): Promise<string> {
  const text = JSON.stringify(schema);
  const stored = { hash: hash("sha256", text), text };
  await configurations.put(agentId, stored);
  return stored.hash;
}

/** The definition with the run's own schema. Undefined: the schema is missing from the store. */
export async function withOwnSchema(
  configurations: Configurations,
  definition: AgentDefinition,
  { agentId, resultSchema }: Pick<Run, "agentId" | "resultSchema">,
): Promise<AgentDefinition | undefined> {
  if (resultSchema === undefined) return definition;
  const text = await configurations.get(agentId, resultSchema);
  return text === undefined
    ? undefined
    : { ...definition, result: { ...definition.result, schema: JSON.parse(text) as Record<string, unknown> } };
}
