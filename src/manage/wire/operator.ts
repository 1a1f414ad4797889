import type { AuditEntry, Operator } from "../../accounts/types.ts";
import type { Schemas } from "../call.ts";
import { timeOf } from "../../api/rest/wire/time.ts";

export function wireOperator(operator: Operator): Schemas["Operator"] {
  const { id, hint, name, role, enabled, createdAt, lastUsedAt } = operator;
  return { id, hint, name, role, enabled, created_at: timeOf(createdAt), last_used_at: timeOf(lastUsedAt) };
}

export function wireAuditEntry({ at, actor, action, id, version }: AuditEntry): Schemas["AuditEntry"] {
  return { at: timeOf(at), actor, action, id, version: version ?? null };
}
