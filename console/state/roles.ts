import type { Me } from "../api/types.ts";

type Access = Pick<Me, "role" | "organizations">;

/**
 * Whether a person may change something: of an organization, of the service itself (`null`), or anywhere (`undefined`).
 */
export function isOperator({ role, organizations }: Access, organizationId: string | null | undefined): boolean {
  const single = organizations.filter(({ id }) => organizationId === undefined || id === organizationId);
  return role === "operator" || single.some((each) => each.role === "operator");
}

/** A role for people, such as `operator`, or `operator of Acme, viewer of Globex`. */
export function roleText({ role, organizations }: Access, names: ReadonlyMap<string, string>): string {
  const single = organizations.map((each) => `${each.role} of ${names.get(each.id) ?? each.id}`);
  return [...(role === null ? [] : [role]), ...single].join(", ");
}
