import type { AgentDefinition } from "./types.ts";

/** The settings of a definition that belong to one of its models. A definition is that of its first one. */
export type ModelChoice = Pick<
  AgentDefinition,
  "modelConfiguration" | "model" | "parameters" | "prices" | "contextTokens"
>;

/** The second model of a definition, with its defaults. Undefined: it has none. */
export function fallbackOf({
  fallback,
  parameters,
  contextTokens,
}: Pick<AgentDefinition, "fallback" | "parameters" | "contextTokens">): ModelChoice | undefined {
  if (!fallback) return undefined;
  const { serviceTier: _, ...shared } = parameters ?? {}; // tiers belong to one provider
  return {
    ...(Object.keys(shared).length > 0 && { parameters: shared }),
    ...(contextTokens !== undefined && { contextTokens }),
    ...fallback,
  };
}
