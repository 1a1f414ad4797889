import type { AgentDefinition } from "../account-types.ts";

/** The settings of a definition that belong to one of its models. A definition is that of its first one. */
export type ModelChoice = Pick<
  AgentDefinition,
  "modelConfiguration" | "model" | "parameters" | "prices" | "contextTokens"
>;

/** What the settings of further models have as defaults. */
type Defaults = Pick<AgentDefinition, "parameters" | "contextTokens">;

/** The second model of a definition, with its defaults. Undefined: it has none. */
export function fallbackOf(definition: Defaults & Pick<AgentDefinition, "fallback">): ModelChoice | undefined {
  return definition.fallback && withDefaults(definition, definition.fallback);
}

/** The model that runs may choose by this name, with its defaults. Undefined: there is none. */
export function runModelOf(
  definition: Defaults & Pick<AgentDefinition, "runModels">,
  name: string,
): ModelChoice | undefined {
  const found = definition.runModels?.find((each) => each.name === name);
  if (!found) return undefined;
  const { name: _, ...choice } = found;
  return withDefaults(definition, choice);
}

function withDefaults({ parameters, contextTokens }: Defaults, chosen: ModelChoice): ModelChoice {
  const { serviceTier: _, ...shared } = parameters ?? {}; // tiers belong to one provider
  return {
    ...(Object.keys(shared).length > 0 && { parameters: shared }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...chosen,
  };
}
