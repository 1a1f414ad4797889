import { configurationFields } from "../../agent/models/model-config.ts";
import { modelConfigurationOf } from "../model-configurations.ts";
import type { Agent, Organization } from "../account-types.ts";

/** The model that new turns of an agent use. Undefined: the organization has none. */
export function modelNameOf(
  agent: Pick<Agent, "model" | "modelConfiguration">,
  organization: Pick<Organization, "model" | "models"> | undefined,
): string | undefined {
  const provider = modelConfigurationOf(organization, agent.modelConfiguration);
  // The demo provider has one model, which bears its name.
  const shared = provider && (configurationFields(provider).model ?? provider.provider);
  return agent.model ?? shared;
}
