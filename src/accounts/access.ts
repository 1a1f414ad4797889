import { ServiceError } from "../errors.ts";
import { maxOrganizations } from "./account-limits.ts";
import type { Access, Accounts, OperatorRole } from "./account-types.ts";
import { findOrganization } from "./organizations.ts";

/** The role in an organization, or with `null` for the service itself. Undefined: none. */
export function roleIn({ role, organizations = [] }: Access, organizationId: string | null): OperatorRole | undefined {
  const roles = [role, ...organizations.filter(({ id }) => id === organizationId).map((each) => each.role)];
  return greatest(roles);
}

/** The greatest role that an operator has anywhere. */
export function greatestRole({ role, organizations = [] }: Access): OperatorRole | undefined {
  return greatest([role, ...organizations.map((each) => each.role)]);
}

/** The organizations that an operator is limited to. Undefined: none, it has a role in all. */
export function limitedTo({ role, organizations = [] }: Access): string[] | undefined {
  return role === undefined ? organizations.map(({ id }) => id) : undefined;
}

/** The organizations in which an access has the role operator. Undefined: in all. */
export function operatorIn({ role, organizations = [] }: Access): string[] | undefined {
  return role === "operator" ? undefined : organizations.flatMap((each) => (each.role === "operator" ? each.id : []));
}

/** An access without repeated organizations. Rejects if it gives no role, or names an organization that does not exist. */
export async function checkedAccess(accounts: Accounts, { role, organizations = [] }: Access): Promise<Access> {
  if (role === undefined && organizations.length === 0) {
    const message = "the operator has no role; send role for all organizations, organizations for some, or both";
    throw new ServiceError("invalid_argument", message);
  }
  const found = await Promise.all(organizations.map(({ id }) => findOrganization(accounts, id)));
  const ids = found.map(({ id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) {
    throw new ServiceError("invalid_argument", `organization ${repeated} is named twice; name each once`);
  }
  if (ids.length > maxOrganizations) {
    const message = `the operator is limited to ${ids.length} organizations; at most ${maxOrganizations} are accepted`;
    throw new ServiceError("invalid_argument", message);
  }
  const roles = organizations.map((each, index) => ({ id: ids[index] ?? each.id, role: each.role }));
  return { ...(role && { role }), ...(roles.length > 0 && { organizations: roles }) };
}

function greatest(roles: (OperatorRole | undefined)[]): OperatorRole | undefined {
  return roles.includes("operator") ? "operator" : roles.find((role) => role !== undefined);
}
