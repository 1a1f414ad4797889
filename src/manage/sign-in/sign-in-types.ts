import type { OperatorRole } from "../../accounts/account-types.ts";

/** Groups of the console's user pool, by the role that they give. */
export const roleGroups: Record<OperatorRole, string> = { operator: "operators", viewer: "viewers" };

/** The group that gives a role in one organization. */
export function organizationGroup(role: OperatorRole, organizationId: string): string {
  return `${roleGroups[role]}=${organizationId}`;
}

/**
 * Which values of a claim give a role in all organizations, or, followed by `=` and the id of an organization, in that one.
 * A person whose token has none of them is refused.
 */
export interface ConsoleRoles {
  /** Name of a claim of the ID token: a text or a list of texts. */
  claim: string;
  operators: string[];
  viewers: string[];
  /**
   * Whether the values themselves may end with `=` and the id of an organization: of a claim whose values only
   * administrators choose, such as the groups of the console's user pool.
   */
  organizationValues?: boolean;
}

/** An OpenID Connect provider and its public client, as the page uses them. */
export interface SignIn {
  issuer: string;
  clientId: string;
  /** Scopes, separated by spaces. */
  scope: string;
  /** Absent: those of the issuer's discovery document. */
  endpoints?: SignInEndpoints;
}

export interface SignInEndpoints {
  authorization: string;
  token: string;
  /** Complete address that ends the provider's session and returns to the page. Absent: the provider has none. */
  signOut?: string;
}
