import { randomUUID } from "node:crypto";
import type { ModelConfiguration } from "../agent/model.ts";
import { ServiceError } from "../errors.ts";
import { type Actor, along } from "./audit.ts";
import { normalizeId } from "./ids.ts";
import { modify } from "./modify.ts";
import { checkName } from "./names.ts";
import type { Accounts, AgentDefinition, AuditEntry, Organization, OrganizationQuota } from "./account-types.ts";

/**
 * Creates an organization. Its agents cannot start runs until it has a model. `id`: for a request that may be repeated. An
 * organization that has it already stays as it is.
 */
export async function createOrganization(
  accounts: Accounts,
  { name, model }: Pick<Organization, "name" | "model">,
  actor?: Actor,
  id: string = randomUUID(),
): Promise<Organization> {
  checkName("the organization's", name);
  const at = Date.now();
  const organization: Organization = { id, name, ...(model && { model }), createdAt: at, updatedAt: at };
  await accounts.createOrganization(organization, along(actor, "org.create", id, at, { organizationId: id }));
  return organization;
}

export async function findOrganization(accounts: Accounts, id: string): Promise<Organization> {
  const found = await accounts.findOrganization(normalizeId(id));
  if (!found) throw new ServiceError("organization_not_found", `organization ${JSON.stringify(id)} does not exist`);
  return found;
}

/**
 * Sets the model that the organization's agents use. Turns in progress that have an answer keep the old one. A function
 * returns the model for the one that is replaced.
 */
export function setModel(
  accounts: Accounts,
  id: string,
  model: ModelConfiguration | ((stored: ModelConfiguration | undefined) => ModelConfiguration),
  actor?: Actor,
): Promise<Organization> {
  const modelFor = typeof model === "function" ? model : () => model;
  return modifyOrganization(accounts, id, actor, "org.set-model", (organization) => ({
    ...organization,
    model: modelFor(organization.model),
  }));
}

/** Removes the organization's model: its agents reject new runs. */
export function clearModel(accounts: Accounts, id: string, actor?: Actor): Promise<Organization> {
  return modifyOrganization(
    accounts,
    id,
    actor,
    "org.clear-model",
    ({ model: _model, ...organization }) => organization,
  );
}

/**
 * Records in the audit what changes no record: a secret that is stored, and a call of a model server, which receives the
 * secret.
 */
export async function recordAction(
  accounts: Accounts,
  id: string,
  action: "org.test-model" | "org.store-secret",
  actor: Actor,
): Promise<void> {
  await modify(
    `organization ${normalizeId(id)}`,
    () => findOrganization(accounts, id),
    (organization) => ({ ...organization }), // the record itself would not be written, nor the entry
    (same) =>
      accounts.replaceOrganization(same, along(actor, action, same.id, Date.now(), { organizationId: same.id })),
  );
}

/**
 * Replaces fields of the quota that all agents of the organization share; `null` removes a limit. `maxDollarsPerDay`
 * requires prices of all agents: what they spend would not be counted.
 */
export async function setQuota(
  accounts: Accounts,
  id: string,
  changes: { [Field in keyof OrganizationQuota]: OrganizationQuota[Field] | null },
  actor?: Actor,
): Promise<Organization> {
  if (typeof changes.maxDollarsPerDay === "number") {
    const { id: organizationId } = await findOrganization(accounts, id);
    const agents = (await accounts.listAgents(organizationId)).filter(({ status }) => status !== "deleted");
    const unpriced = agents.filter(({ prices }) => !prices).map((agent) => agent.id);
    if (unpriced.length > 0) {
      const named = `${unpriced.slice(0, 3).join(", ")}${unpriced.length > 3 ? ", …" : ""}`;
      throw new ServiceError(
        "invalid_argument",
        `maxDollarsPerDay requires prices in the files of all agents; ${unpriced.length} have none: ${named}`,
      );
    }
  }
  return modifyOrganization(accounts, id, actor, "org.set-quota", (organization) => {
    const { maxRunning, maxDollarsPerDay, maxStoredBytes, maxPendingUploadBytes, ...others } = organization;
    const before = { maxRunning, maxDollarsPerDay, maxStoredBytes, maxPendingUploadBytes };
    const quota = Object.entries({ ...before, ...changes }).filter(([, limit]) => limit != null);
    return { ...others, ...(Object.fromEntries(quota) as OrganizationQuota) };
  });
}

/** Records that everything about an organization is being deleted. It has no model from then on, and gets no agents. */
export function beginDeletion(accounts: Accounts, id: string, actor: Actor | undefined): Promise<Organization> {
  const deleting = { at: Date.now(), ...(actor !== undefined && { actor }) };
  return modifyOrganization(
    accounts,
    id,
    actor,
    "org.delete",
    ({ model: _model, models: _models, ...organization }) => ({
      ...organization,
      deleting,
    }),
  );
}

/** Throws for an organization that is being deleted. */
export function requireNotDeleting({ id, deleting }: Organization): void {
  if (!deleting) return;
  throw new ServiceError("organization_not_found", `organization ${id} is being deleted`);
}

/** Throws for an agent without prices in an organization with `maxDollarsPerDay`. */
export function requirePrices({ maxDollarsPerDay }: Organization, { prices }: AgentDefinition): void {
  if (maxDollarsPerDay === undefined || prices) return;
  const message = "prices is missing; the organization's maxDollarsPerDay requires it";
  throw new ServiceError("invalid_argument", message);
}

/** Changes a stored organization, with an entry in the audit. Repeats when another writer was faster. */
export function modifyOrganization(
  accounts: Accounts,
  id: string,
  actor: Actor | undefined,
  action: AuditEntry["action"],
  change: (organization: Organization) => Organization,
): Promise<Organization> {
  const stored = ({ id: organizationId, updatedAt }: Organization) =>
    along(actor, action, organizationId, updatedAt, { organizationId });
  return modify(
    `organization ${normalizeId(id)}`,
    () => findOrganization(accounts, id),
    (organization) => ({ ...change(organization), updatedAt: Date.now() }),
    (next) => accounts.replaceOrganization(next, stored(next)),
  );
}
