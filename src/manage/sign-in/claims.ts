import type { Actor } from "../../accounts/audit.ts";
import type { Access, OperatorRole } from "../../accounts/account-types.ts";
import type { ConsoleRoles } from "./sign-in-types.ts";

/** The claims of an ID token, by name. */
export type Claims = Record<string, unknown>;

/**
 * The claims of the token in an `Authorization` header. The token's signature, issuer, audience and time must have been
 * checked before: API Gateway's authorizer does it. It passes claims on, too, but joins lists to one text, in which a group
 * `a b` cannot be distinguished from the groups `a` and `b`. Undefined: the header has no token.
 */
export function claimsOf(authorization: string | undefined): Claims | undefined {
  const [, payload = ""] = /^bearer +[\w-]+\.([\w-]+)\.[\w-]+$/i.exec(authorization?.trim() ?? "") ?? [];
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}

/** What the claims allow. Undefined: nothing. An email address counts only if the provider has verified it. */
export function accessOf(
  claims: Claims,
  { claim, operators, viewers, organizationValues = false }: ConsoleRoles,
): Access | undefined {
  if (claim === "email" && ![true, "true"].includes(claims["email_verified"] as boolean)) return undefined;
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const values = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");
  const allowed = (granting: string[]): (string | null)[] => [
    ...granting.filter((each) => !endsWithId.test(each) && values.includes(each)).map(() => null),
    ...granting.flatMap((each) => organizationIn(each, (name) => values.includes(name))),
    ...(organizationValues ? values.flatMap((each) => organizationIn(each, (name) => granting.includes(name))) : []),
  ];
  const [operates, views] = [allowed(operators), allowed(viewers)];
  const role: OperatorRole | undefined = operates.includes(null)
    ? "operator"
    : views.includes(null)
      ? "viewer"
      : undefined;
  const organizations = [
    ...idsOf(operates).map((id) => ({ id, role: "operator" as const })),
    ...idsOf(views.filter((id) => !operates.includes(id))).map((id) => ({ id, role: "viewer" as const })),
  ];
  if (role === undefined && organizations.length === 0) return undefined;
  return { ...(role && { role }), ...(organizations.length > 0 && { organizations }) };
}

const endsWithId = /^(.+)=([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/is;

/** The organization of a text such as `operators=ID` if its name passes. */
function organizationIn(text: string, passes: (name: string) => boolean): string[] {
  const [, name = "", id] = endsWithId.exec(text) ?? [];
  return id !== undefined && passes(name) ? [id.toLowerCase()] : [];
}

function idsOf(organizations: (string | null)[]): string[] {
  return [...new Set(organizations)].filter((id) => id !== null);
}

/** The person for the audit: a name for people, and the provider's id, which nobody can choose. */
export function actorOf(claims: Claims): Actor {
  const [name, subject] = [nameOf(claims), subjectOf(claims)];
  return name === subject ? subject : `${name} (${subject})`;
}

/** The person's email address or name, else the provider's id. */
export function nameOf(claims: Claims): string {
  const names = [claims["email"], claims["preferred_username"], claims["name"]];
  const name = names.find((each) => typeof each === "string" && each !== "") as string | undefined;
  return name === undefined ? subjectOf(claims) : printable(name.slice(0, 200));
}

function subjectOf({ sub }: Claims): string {
  return typeof sub === "string" ? printable(sub.slice(0, 255)) : "unknown";
}

function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ");
}
