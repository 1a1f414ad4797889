import type { DatabaseSync } from "node:sqlite";
import { tuples } from "./query.ts";

/** Read transactions, one per tick of the event loop, and rows that are kept between them. */
export interface SharedReads {
  /** Runs a query in the transaction of this tick. Errors of SQLite are thrown as they are. */
  read: <T>(query: () => T) => T;
  /** Ends the open transaction early. */
  endRead: () => void;
  /**
   * Keeps what `load` returns for an id, also undefined, until a row of `keptTables` changes, in this process or in another one. The values
   * are frozen, because all callers share them.
   */
  kept: <T extends object>(load: (id: string) => T | undefined) => (id: string) => T | undefined;
}

/** Their rows are read for each request and change rarely: reading and parsing them took a tenth of a poll. */
const keptTables = ["keys", "agents", "agent_versions", "organizations", "webhooks"];
/** Rows of one kind that are kept. */
const maxKept = 10_000;

export function sharedReads(db: DatabaseSync): SharedReads {
  const begin = db.prepare("BEGIN");
  const commit = db.prepare("COMMIT");
  const versionOfOthers = tuples<[number]>(db, "PRAGMA data_version"); // changes with commits of other connections only
  const kinds: Map<string, object | undefined>[] = [];
  let seen: unknown;
  let reading = false;

  function forget(): null {
    for (const kind of kinds) kind.clear();
    return null;
  }
  db.function("forget_kept_rows", forget);
  for (const table of keptTables) {
    for (const change of ["INSERT", "UPDATE", "DELETE"]) {
      db.exec(
        `CREATE TEMP TRIGGER ${table}_${change} AFTER ${change} ON main.${table} BEGIN SELECT forget_kept_rows(); END`,
      );
    }
  }

  function beginRead(): void {
    begin.run();
    reading = true;
    setImmediate(endRead);
    const [version] = versionOfOthers.get() ?? [];
    if (version !== seen) forget();
    seen = version;
  }

  function endRead(): void {
    if (!reading) return;
    reading = false;
    try {
      commit.run();
    } catch {
      // A damaged page: the query that read it has thrown. Nothing was written, so nothing is lost.
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  }

  return {
    endRead,

    read(query) {
      if (!reading && !db.isTransaction) beginRead();
      return query();
    },

    kept<T extends object>(load: (id: string) => T | undefined) {
      const kind = new Map<string, object | undefined>();
      kinds.push(kind);
      return (id: string): T | undefined => {
        if (!reading) return load(id); // what a write transaction reads can be rolled back
        if (kind.has(id)) return kind.get(id) as T | undefined;
        const loaded = load(id);
        if (kind.size >= maxKept) kind.clear();
        kind.set(id, loaded && frozen(loaded));
        return loaded;
      };
    },
  };
}

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) frozen(part as object);
  return Object.freeze(value);
}
