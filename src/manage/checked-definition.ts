import { definitionProblems, keepDaysProblems } from "../accounts/agents/agent-definition.ts";
import { headerSecretProblems } from "../accounts/agents/header-secrets.ts";
import { definitionSchemaProblems, withNormalizedSchemas } from "../accounts/result-schema.ts";
import type { AgentDefinition } from "../accounts/account-types.ts";
import { ServiceError } from "../errors.ts";
import type { Schemas } from "./call.ts";
import type { ManageDeps } from "./deps.ts";

/** The definition of a request. Rejects with a ServiceError for what its schema cannot express. */
export async function checkedDefinition(
  { secretProblem, retentionDays }: Pick<ManageDeps, "secretProblem" | "retentionDays">,
  organizationId: string,
  { $schema: _schema, ...given }: Schemas["AgentDefinition"],
): Promise<AgentDefinition> {
  const definition = withNormalizedSchemas(given);
  const problems = [
    ...definitionProblems(definition),
    ...keepDaysProblems(definition, retentionDays),
    ...(await definitionSchemaProblems(definition)),
    ...(await headerSecretProblems(definition.mcp ?? [], organizationId, secretProblem)),
  ];
  if (problems.length > 0) throw new ServiceError("invalid_argument", problems.join("; "));
  return definition;
}
