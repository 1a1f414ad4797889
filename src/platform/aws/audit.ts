import type { AuditEntry } from "../../accounts/account-types.ts";
import { audit } from "../records/accounts.ts";
import type { Item } from "../records/port.ts";
import { itemOf } from "./records.ts";

/** The item of an audit entry. Its key is unique, so it overwrites no other. */
export function auditItem(entry: AuditEntry): Item {
  return itemOf(audit, entry);
}
