import { randomUUID } from "node:crypto";
import type { ModelConfiguration } from "../agent/model.ts";
import { ServiceError } from "../errors.ts";
import { type Actor, along } from "./audit.ts";
import { normalizeId } from "./ids.ts";
import { modify } from "./modify.ts";
import type { Accounts, AuditEntry, Organization } from "./types.ts";

const maxNameLength = 200;

/** Creates an organization. Its agents cannot start runs until it has a model. */
export async function createOrganization(
  accounts: Accounts,
  { name, model }: Pick<Organization, "name" | "model">,
  actor?: Actor,
): Promise<Organization> {
  if (name.trim() === "") throw new ServiceError("invalid_argument", "the organization's name is blank");
  if (name.length > maxNameLength) {
    const message = `the organization's name has ${name.length} characters; at most ${maxNameLength} are accepted`;
    throw new ServiceError("invalid_argument", message);
  }
  const at = Date.now();
  const id = randomUUID();
  const organization: Organization = { id, name, ...(model && { model }), createdAt: at, updatedAt: at };
  await accounts.createOrganization(organization, along(actor, "org.create", id, at));
  return organization;
}

export async function findOrganization(accounts: Accounts, id: string): Promise<Organization> {
  const found = await accounts.findOrganization(normalizeId(id));
  if (!found) throw new ServiceError("organization_not_found", `organization ${JSON.stringify(id)} does not exist`);
  return found;
}

/** Sets the model that the organization's agents use. Turns in progress keep the model that they began with. */
export function setModel(
  accounts: Accounts,
  id: string,
  model: ModelConfiguration,
  actor?: Actor,
): Promise<Organization> {
  return modifyOrganization(accounts, id, actor, "org.set-model", (organization) => ({ ...organization, model }));
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

function modifyOrganization(
  accounts: Accounts,
  id: string,
  actor: Actor | undefined,
  action: AuditEntry["action"],
  change: (organization: Organization) => Organization,
): Promise<Organization> {
  return modify(
    `organization ${normalizeId(id)}`,
    () => findOrganization(accounts, id),
    (organization) => ({ ...change(organization), updatedAt: Date.now() }),
    (next) => accounts.replaceOrganization(next, along(actor, action, next.id, next.updatedAt)),
  );
}
