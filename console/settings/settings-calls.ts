import { call } from "../api/client.ts";
import type { Schemas } from "../api/types.ts";

export type Operator = Schemas["Operator"];
export type CreatedOperator = Schemas["CreatedOperator"];
export type AuditEntry = Schemas["AuditEntry"];

export async function readOperators(): Promise<Operator[]> {
  return (await call("list_operators", {})).data;
}

/** What a new operator may do: with a role in all organizations, or in single ones. */
export type NewAccess = Pick<Schemas["CreateOperatorRequest"], "role" | "organizations">;

/** `expiresAt`: RFC 3339. Undefined: it does not expire. */
export function createOperator(
  name: string,
  access: NewAccess,
  expiresAt: string | undefined,
): Promise<CreatedOperator> {
  const ends = expiresAt === undefined ? {} : { expires_at: expiresAt };
  return call("create_operator", {}, { body: { name, ...access, ...ends } });
}

export function revokeOperator(id: string): Promise<Operator> {
  return call("revoke_operator", { operator_id: id });
}

/** Entries of one page: the API has no more in one response. */
export const auditLimit = 200;

/** What operators did, newest first. */
export async function readAudit(since: string | undefined, signal: AbortSignal): Promise<AuditEntry[]> {
  return (await call("list_audit", { since, limit: auditLimit }, { signal })).data;
}
