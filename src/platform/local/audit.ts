import type { DatabaseSync } from "node:sqlite";
import type { Accounts, AuditEntry, AuditQuery } from "../../accounts/types.ts";
import { tickByTick } from "../../async/tick-by-tick.ts";
import type { Database } from "./database/sqlite.ts";

/** Returns a function that inserts an audit entry, as part of the transaction in progress. */
export function auditWriter(db: DatabaseSync): (entry: AuditEntry) => void {
  const insert = db.prepare("INSERT INTO audit (at, body) VALUES (?, ?)");
  return (entry) => void insert.run(entry.at, JSON.stringify(entry));
}

/** Entries that are compared before other requests are handled: about a millisecond. */
const comparedAtOnce = 2_000;

export function localAudit({ db, read }: Database): Pick<Accounts, "listAudit"> {
  const newest = db.prepare("SELECT body FROM audit WHERE at >= ? AND at < ? ORDER BY at DESC, seq DESC LIMIT ?");
  const compared = db.prepare(`
    SELECT at, seq, CASE WHEN body ->> 'organizationId' IN (SELECT value FROM json_each(?4)) THEN body END AS body
      FROM audit WHERE at >= ?1 AND (at, seq) < (?2, ?3) ORDER BY at DESC, seq DESC LIMIT ${comparedAtOnce}`);
  const inTurn = tickByTick();

  /** Compares all entries of the time: those of an organization have no index. */
  async function newestOf(organizations: string[], { since, until, limit }: Period): Promise<AuditEntry[]> {
    const only = JSON.stringify(organizations);
    const found: AuditEntry[] = [];
    let [at, seq, more] = [until, 0, true];
    while (more && found.length < limit) {
      const rows = await inTurn([only], () => read(() => compared.all(since, at, seq, only)));
      found.push(...rows.flatMap((row) => (row["body"] === null ? [] : entryIn(row))));
      const last = rows.at(-1);
      [at, seq] = [Number(last?.["at"]), Number(last?.["seq"])];
      more = rows.length === comparedAtOnce;
    }
    return found.slice(0, limit);
  }

  return {
    listAudit: async ({ since, until = Number.MAX_SAFE_INTEGER, organizations, limit }) =>
      organizations
        ? newestOf(organizations, { since, until, limit })
        : read(() => newest.all(since, until, limit)).map(entryIn),
  };
}

type Period = Required<Pick<AuditQuery, "since" | "until" | "limit">>;

function entryIn({ body }: Record<string, unknown>): AuditEntry {
  return JSON.parse(String(body)) as AuditEntry;
}
