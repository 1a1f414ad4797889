import type { ModelConfiguration } from "../agent/model.ts";
import { ServiceError } from "../errors.ts";
import type { Actor } from "./audit.ts";
import { configurationName } from "./account-limits.ts";
import { findOrganization, modifyOrganization } from "./organizations.ts";
import type { Accounts, AgentDefinition, Organization } from "./account-types.ts";

/** Further model configurations of an organization: its record is one item of at most 400 KB. */
const maxConfigurations = 20;

/** The model configuration that an agent names, or without a name the organization's model. Undefined: there is none. */
export function modelConfigurationOf(
  organization: Pick<Organization, "model" | "models"> | undefined,
  name: string | undefined,
): ModelConfiguration | undefined {
  if (name === undefined) return organization?.model;
  const { models = {} } = organization ?? {};
  return Object.hasOwn(models, name) ? models[name] : undefined;
}

type NamingFields = Pick<AgentDefinition, "modelConfiguration" | "fallback" | "runModels">;

/** The further model configurations that a definition names. */
function namedIn(definition: NamingFields): string[] {
  return fieldsThatName(definition).map(([, name]) => name);
}

/** The fields of a definition that name a further model configuration, with the names. */
function fieldsThatName({ modelConfiguration, fallback, runModels = [] }: NamingFields): [string, string][] {
  const fields: [string, string | undefined][] = [
    ["modelConfiguration", modelConfiguration],
    ["fallback.modelConfiguration", fallback?.modelConfiguration],
    ...runModels.map((each, index): [string, string | undefined] => [
      `runModels.${index}.modelConfiguration`,
      each.modelConfiguration,
    ]),
  ];
  return fields.filter((field): field is [string, string] => field[1] !== undefined);
}

/** Throws for a definition that names a model configuration that its organization does not have. */
export function requireConfigurations(organization: Organization, definition: AgentDefinition): void {
  for (const [field, name] of fieldsThatName(definition)) {
    if (modelConfigurationOf(organization, name)) continue;
    throw new ServiceError("invalid_argument", `${field} is ${JSON.stringify(name)}; ${known(organization)}`);
  }
}

/** Throws unless the organization has a further model configuration of this name. */
export function requireConfiguration(organization: Organization, name: string): ModelConfiguration {
  const found = modelConfigurationOf(organization, name);
  if (found) return found;
  const message = `model configuration ${JSON.stringify(name)} does not exist; ${known(organization)}`;
  throw new ServiceError("configuration_not_found", message);
}

function known({ id, models = {} }: Organization): string {
  const names = Object.keys(models).toSorted();
  return `organization ${id} has ${names.length === 0 ? "no further model configurations" : names.join(", ")}`;
}

/**
 * Sets a further model configuration of the organization. Turns in progress that have an answer keep the old one. A function
 * returns the model for the one that is replaced.
 */
export function setConfiguration(
  accounts: Accounts,
  id: string,
  name: string,
  model: (stored: ModelConfiguration | undefined) => ModelConfiguration,
  actor?: Actor,
): Promise<Organization> {
  if (!new RegExp(configurationName).test(name) || name === "default") {
    const accepted = "1 to 40 lower-case letters, digits and hyphens, beginning with a letter, and not “default”";
    throw new ServiceError("invalid_argument", `the name is ${JSON.stringify(name)}; expected ${accepted}`);
  }
  return modifyOrganization(accounts, id, actor, "org.set-model", (organization) => {
    const models = { ...organization.models, [name]: model(modelConfigurationOf(organization, name)) };
    if (Object.keys(models).length <= maxConfigurations) return { ...organization, models };
    const message = `an organization has at most ${maxConfigurations} further model configurations; remove one first`;
    throw new ServiceError("invalid_argument", message);
  });
}

/** Removes a further model configuration. Throws while an agent of the organization names it. */
export async function removeConfiguration(
  accounts: Accounts,
  id: string,
  name: string,
  actor?: Actor,
): Promise<Organization> {
  const organization = await findOrganization(accounts, id);
  requireConfiguration(organization, name);
  const agents = (await accounts.listAgents(organization.id)).filter(
    (agent) => agent.status !== "deleted" && namedIn(agent).includes(name),
  );
  if (agents.length > 0) {
    const shown = agents.slice(0, 3).map((agent) => `${agent.id} (${agent.name})`);
    const more = agents.length > shown.length ? ", …" : "";
    const by = agents.length === 1 ? "an agent" : `${agents.length} agents`;
    throw new ServiceError(
      "configuration_in_use",
      `model configuration ${JSON.stringify(name)} is named by ${by}: ${shown.join(", ")}${more}; name another one there first`,
    );
  }
  return modifyOrganization(accounts, id, actor, "org.clear-model", ({ models: before, ...others }) => {
    const { [name]: _removed, ...models } = before ?? {};
    return Object.keys(models).length === 0 ? others : { ...others, models };
  });
}
