import { createAgent, findAgent, setAgentStatus, updateAgent } from "../accounts/agents/agents.ts";
import { parseAgentFile } from "../accounts/agents/agent-definition.ts";
import type { Actor } from "../accounts/audit.ts";
import { shownSecret } from "../accounts/agents/header-secrets.ts";
import { createKey, setKeyEnabled } from "../accounts/keys.ts";
import { jsonLabels, type ModelSettings, parseModelSettings } from "../accounts/model-settings.ts";
import { createOrganization, findOrganization, setModel } from "../accounts/organizations.ts";
import type { Accounts, AgentDefinition } from "../accounts/account-types.ts";
import type { ModelConfiguration } from "../agent/model.ts";
import { configurationFields, modelUrl } from "../agent/models/model-config.ts";
import type { Secrets } from "../agent/secret.ts";
import { ServiceError } from "../errors.ts";
import { canonicalJson } from "../json.ts";
import { checkedDefinition } from "../manage/checked-definition.ts";
import type { AgentProperties, ApiKeyProperties, Definition, OrganizationProperties } from "./definition-types.ts";

// What the custom resources of a CloudFormation stack do with organizations, agents and keys.

export interface DefinitionDeps {
  accounts: Accounts;
  secretRefusal: Secrets["secretRefusal"];
  /** Days after which the stack deletes runs. */
  retentionDays: number;
  /**
   * Stores the value of a key in a secret of the stack, for the request with this id. Resolves with the value that the secret has
   * from this request: that of its first delivery.
   */
  storeKey: (secretArn: string, key: string, requestId: string) => Promise<string>;
  actor: Actor;
}

/**
 * Creates what is defined, once for each `requestId`: what a request has created stays as it is when it is delivered again.
 * Resolves with its id. Secrets of definitions may not exist yet: only their names are checked.
 */
export async function createDefined(
  deps: DefinitionDeps,
  { kind, properties }: Definition,
  requestId: string,
): Promise<string> {
  if (kind === "organization") return newOrganization(deps, properties, requestId);
  if (kind === "agent") return newAgent(deps, properties, requestId);
  return newKey(deps, properties, requestId);
}

/**
 * Changes what is defined. Resolves with its id: with another one if it was replaced, which an agent is for another organization, and
 * a key for any change. An unchanged definition changes nothing. `former`: the properties before. `requestId`: as for
 * `createDefined`.
 */
export async function updateDefined(
  deps: DefinitionDeps,
  id: string,
  { kind, properties }: Definition,
  former: object,
  requestId: string,
): Promise<string> {
  if (kind === "api_key") {
    return canonicalJson(former) === canonicalJson(properties) ? id : newKey(deps, properties, requestId);
  }
  if (kind === "organization") return changeOrganization(deps, id, properties);
  const { organizationId } = await findAgent(deps.accounts, id);
  if (organizationId !== (await findOrganization(deps.accounts, properties.OrganizationId)).id)
    return newAgent(deps, properties, requestId);
  const definition = await definitionIn(deps, organizationId, properties);
  await updateAgent(deps.accounts, id, definition, deps.actor);
  return id;
}

/** The id of a key. CloudFormation has other ids for those whose creation failed. */
const isHash = /^[0-9a-f]{64}$/;

/** Archives an agent, whose runs stay, and disables a key. An organization stays as it is. No-op for what does not exist. */
export async function deleteDefined(
  { accounts, actor }: DefinitionDeps,
  id: string,
  kind: Definition["kind"],
): Promise<void> {
  try {
    if (kind === "api_key" && isHash.test(id)) await setKeyEnabled(accounts, id, false, actor);
    if (kind === "agent") await setAgentStatus(accounts, id, "archived", actor);
  } catch (error) {
    const gone = ["agent_not_found", "agent_deleted", "key_not_found"];
    if (!(error instanceof ServiceError && gone.includes(error.code))) throw error;
  }
}

async function newOrganization(
  deps: DefinitionDeps,
  { Name, Model }: OrganizationProperties,
  id: string,
): Promise<string> {
  const model = Model && modelOf(deps, id, Model);
  await createOrganization(deps.accounts, { name: Name, ...(model && { model }) }, deps.actor, id);
  return id;
}

/** Sets the model that is defined, unless the organization has it. Without one, the organization keeps its own. */
async function changeOrganization(
  deps: DefinitionDeps,
  id: string,
  { Name, Model }: OrganizationProperties,
): Promise<string> {
  const { name, model } = await findOrganization(deps.accounts, id);
  if (name !== Name) {
    const received = `the name is ${JSON.stringify(Name)}, and organization ${id} has the name ${JSON.stringify(name)}`;
    const remedy = "a name cannot be changed: keep it, or define another organization with another construct id";
    throw new ServiceError("invalid_argument", `${received}; ${remedy}`);
  }
  const defined = Model && modelOf(deps, id, Model);
  if (defined && !(model && canonicalJson(model) === canonicalJson(defined)))
    await setModel(deps.accounts, id, defined, deps.actor);
  return id;
}

/** The model in properties. Throws for settings that do not fit the provider, and for a secret that no organization can use. */
function modelOf(
  { secretRefusal }: DefinitionDeps,
  organizationId: string,
  settings: ModelSettings,
): ModelConfiguration {
  const configuration = parseModelSettings(settings, jsonLabels, true);
  const { secret } = configurationFields(configuration);
  if (secret === undefined) return configuration;
  const refusal = secretRefusal(secret, { organizationId, purpose: "model", url: modelUrl(configuration) });
  if (refusal === undefined) return configuration;
  const message = `the secret of the model (${shownSecret(secret)}) ${refusal}; name it secretsmanager:NAME`;
  throw new ServiceError("invalid_argument", message);
}

async function newAgent(deps: DefinitionDeps, properties: AgentProperties, id: string): Promise<string> {
  const owner = await findOrganization(deps.accounts, properties.OrganizationId);
  const definition = await definitionIn(deps, owner.id, properties);
  await createAgent(deps.accounts, owner.id, definition, deps.actor, id);
  return id;
}

/** The definition in the text of an agent file. Throws with a sentence about each problem. */
async function definitionIn(
  { secretRefusal, retentionDays }: DefinitionDeps,
  organizationId: string,
  { Definition }: AgentProperties,
): Promise<AgentDefinition> {
  const file = parseAgentFile(Definition);
  if ("problems" in file) throw new ServiceError("invalid_argument", file.problems.join("; "));
  const secretProblem: Secrets["secretProblem"] = (secret, use) => {
    const refusal = secretRefusal(secret, use);
    return Promise.resolve(refusal && `it ${refusal}; name it secretsmanager:NAME`);
  };
  return checkedDefinition({ secretProblem, retentionDays }, organizationId, file.definition);
}

/**
 * Makes a key. Its value is in the secret first: a delivery that ends before the key is stored is completed by the next one, which
 * reads the value there.
 */
async function newKey(
  { accounts, storeKey, actor }: DefinitionDeps,
  { AgentIds, Name, SecretArn }: ApiKeyProperties,
  requestId: string,
): Promise<string> {
  const [first = "", ...moreAgents] = AgentIds;
  const keep = (key: string) => storeKey(SecretArn, key, requestId);
  return (await createKey(accounts, first, { name: Name, moreAgents, actor, keep })).stored.hash;
}
