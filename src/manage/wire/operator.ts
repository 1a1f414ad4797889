import type { Access, AuditEntry, Operator } from "../../accounts/types.ts";
import type { Schemas } from "../call.ts";
import { timeOf } from "../../http/rest/wire/time.ts";
import { trialOf } from "../../trials/trial-id.ts";

export function wireAccess({ role, organizations = [] }: Access): Pick<Schemas["Me"], "role" | "organizations"> {
  return { role: role ?? null, organizations };
}

export function wireOperator(operator: Operator): Schemas["Operator"] {
  const { id, hint, name, enabled, createdAt, expiresAt, lastUsedAt } = operator;
  const times = { created_at: timeOf(createdAt), expires_at: timeOf(expiresAt), last_used_at: timeOf(lastUsedAt) };
  return { id, hint, name, ...wireAccess(operator), enabled, ...times };
}

/** The command line and earlier releases record the trial in place of the organization for what is done with its runs. */
export function wireAuditEntry(entry: AuditEntry): Schemas["AuditEntry"] {
  const { at, actor, action, id, version = null, organizationId } = entry;
  const known = organizationId !== undefined && trialOf({ organizationId }) === undefined;
  return { at: timeOf(at), actor, action, id, version, organization_id: known ? organizationId : null };
}
