import { change, get, getAll } from "../api/client.ts";
import type { Schemas } from "../api/types.ts";

export type Operator = Schemas["Operator"];
export type CreatedOperator = Schemas["CreatedOperator"];
export type AuditEntry = Schemas["AuditEntry"];

export function readOperators(): Promise<Operator[]> {
  return getAll("/operators");
}

export function createOperator(name: string, role: Operator["role"]): Promise<CreatedOperator> {
  return change("POST", "/operators", { name, role });
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
