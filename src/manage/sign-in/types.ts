import type { OperatorRole } from "../../accounts/types.ts";

/** Groups of the console's user pool, by the role that they give. */
export const roleGroups: Record<OperatorRole, string> = { operator: "operators", viewer: "viewers" };

/** Which values of a claim give a role. A person whose token has none of them is refused. */
export interface ConsoleRoles {
  /** Name of a claim of the ID token: a text or a list of texts. */
  claim: string;
  operators: string[];
  viewers: string[];
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
