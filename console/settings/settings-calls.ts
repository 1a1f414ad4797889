import { change, get, getAll } from "../api/client.ts";
import type { Schemas } from "../api/types.ts";

export type Operator = Schemas["Operator"];
export type CreatedOperator = Schemas["CreatedOperator"];
export type AuditEntry = Schemas["AuditEntry"];

export function readOperators(): Promise<Operator[]> {
  return getAll("/operators");
}

/** What a new operator may do: with a role in all organizations, or in single ones. */
export type NewAccess = Pick<Schemas["CreateOperatorRequest"], "role" | "organizations">;

export function createOperator(name: string, access: NewAccess): Promise<CreatedOperator> {
  return change("POST", "/operators", { name, ...access });
}

export function revokeOperator(id: string): Promise<Operator> {
  return change("POST", `/operators/${id}/revoke`);
}

/** Entries of one page: the API has no more in one response. */
export const auditLimit = 200;

/** What operators did, newest first. */
export async function readAudit(since: string | undefined, signal: AbortSignal): Promise<AuditEntry[]> {
  const { data } = await get<{ data: AuditEntry[] }>("/audit", { query: { since, limit: auditLimit }, signal });
  return data;
}
