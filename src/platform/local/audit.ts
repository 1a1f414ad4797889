import type { DatabaseSync } from "node:sqlite";
import type { Accounts, AuditEntry } from "../../accounts/types.ts";
import type { Database } from "./database/sqlite.ts";

/** Returns a function that inserts an audit entry, as part of the transaction in progress. */
export function auditWriter(db: DatabaseSync): (entry: AuditEntry) => void {
  const insert = db.prepare("INSERT INTO audit (at, body) VALUES (?, ?)");
  return (entry) => void insert.run(entry.at, JSON.stringify(entry));
}

export function localAudit({ db, read }: Database): Pick<Accounts, "listAudit"> {
  const newest = db.prepare(`SELECT body FROM audit WHERE at >= ? AND at < ? AND
    (?3 IS NULL OR body ->> 'organizationId' IN (SELECT value FROM json_each(?3))) ORDER BY at DESC, seq DESC LIMIT ?`);
  return {
    listAudit: async ({ since, until = Number.MAX_SAFE_INTEGER, organizations, limit }) => {
      const only = organizations === undefined ? null : JSON.stringify(organizations);
      return read(() => newest.all(since, until, only, limit)).map(
        ({ body }) => JSON.parse(String(body)) as AuditEntry,
      );
    },
  };
}
