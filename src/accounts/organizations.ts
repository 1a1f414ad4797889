import { randomUUID } from "node:crypto";
import type { ModelConfiguration } from "../agent/model.ts";
import { ServiceError } from "../errors.ts";
import { normalizeId } from "./ids.ts";
import { modify } from "./modify.ts";
import type { Accounts, Organization } from "./types.ts";

const maxNameLength = 200;

/** Creates an organization. Its agents cannot start runs until it has a model. */
export async function createOrganization(
  accounts: Accounts,
  { name, model }: Pick<Organization, "name" | "model">,
): Promise<Organization> {
  if (name.trim() === "") throw new ServiceError("invalid_argument", "the organization's name is blank");
  if (name.length > maxNameLength) {
    const message = `the organization's name has ${name.length} characters; at most ${maxNameLength} are accepted`;
    throw new ServiceError("invalid_argument", message);
  }
  const organization: Organization = { id: randomUUID(), name, ...(model && { model }) };
  await accounts.createOrganization(organization);
  return organization;
}

export async function findOrganization(accounts: Accounts, id: string): Promise<Organization> {
  const found = await accounts.findOrganization(normalizeId(id));
  if (!found) throw new ServiceError("organization_not_found", `organization ${JSON.stringify(id)} does not exist`);
  return found;
}

/** Sets the model that the organization's agents use. */
export function setModel(accounts: Accounts, id: string, model: ModelConfiguration): Promise<Organization> {
  return modifyOrganization(accounts, id, (organization) => ({ ...organization, model }));
}

/** Removes the organization's model: its agents reject new runs. */
export function clearModel(accounts: Accounts, id: string): Promise<Organization> {
  return modifyOrganization(accounts, id, ({ model: _model, ...organization }) => organization);
}

function modifyOrganization(
  accounts: Accounts,
  id: string,
  change: (organization: Organization) => Organization,
): Promise<Organization> {
  const read = () => findOrganization(accounts, id);
  return modify(`organization ${normalizeId(id)}`, read, change, (next) => accounts.replaceOrganization(next));
}
