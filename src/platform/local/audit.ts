import type { DatabaseSync } from "node:sqlite";
import type { AuditEntry } from "../../accounts/account-types.ts";
import { audit } from "../records/accounts.ts";
import { inserter } from "./records.ts";

/** Returns a function that inserts an audit entry, as part of the transaction in progress. */
export function auditWriter(db: DatabaseSync): (entry: AuditEntry) => void {
  return inserter(db, audit);
}
