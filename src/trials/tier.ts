import type { AgentDefinition } from "../accounts/types.ts";
import { flexServers, hasFlexTier } from "../agent/models/flex-tier.ts";
import { modelHost } from "./destinations.ts";
import type { ArmName, Trial, TrialSettings } from "./types.ts";

/** Why the models of a trial cannot be asked with its tier, as a sentence. Undefined: they can, or it has none. */
export function refusalOfTier({
  candidate,
  control,
  judge,
  settings,
}: Pick<Trial, ArmName | "judge" | "settings">): string | undefined {
  if (settings.tier === undefined) return undefined;
  const asked = [candidate, ...(settings.control > 0 ? [control] : []), ...(judge ? [judge] : [])];
  const without = asked.find(({ provider }) => provider && !hasFlexTier(provider))?.provider;
  if (!without) return undefined;
  const server = without.provider === "demo" ? "the demo model" : modelHost(without);
  return `tier: ${server} is not known to have ${settings.tier}; known are ${flexServers}. Leave out the tier, or set parameters.serviceTier and prices of the agent if the server has it.`;
}

/** A definition as a trial asks its model. Its fallback is asked without a tier, unless it has one of its own. */
export function withTier(definition: AgentDefinition, { tier }: Pick<TrialSettings, "tier">): AgentDefinition {
  if (tier === undefined) return definition;
  return { ...definition, parameters: { ...definition.parameters, serviceTier: tier } };
}
