import type { Access, AuditEntry, Operator } from "../../accounts/account-types.ts";
import type { Schemas } from "../call.ts";
import { trialOf } from "../../trials/trial-id.ts";
import { wire } from "./by-schema.ts";

export function wireAccess({ role, organizations = [] }: Access): Pick<Schemas["Me"], "role" | "organizations"> {
  return { role: role ?? null, organizations };
}

export function wireOperator(operator: Operator): Schemas["Operator"] {
  return wire("Operator", { ...operator, organizations: operator.organizations ?? [] });
}

/** The command line and earlier releases record the trial in place of the organization for what is done with its runs. */
export function wireAuditEntry(entry: AuditEntry): Schemas["AuditEntry"] {
  const { organizationId } = entry;
  const known = organizationId !== undefined && trialOf({ organizationId }) === undefined;
  return wire("AuditEntry", { ...entry, organizationId: known ? organizationId : undefined });
}
