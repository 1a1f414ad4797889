import type { DatabaseSync } from "node:sqlite";
import { keptTables } from "../../records/kinds.ts";
import { tuples } from "./query.ts";

/** Read transactions, one per tick of the event loop, and rows that are kept between them. */
export interface SharedReads {
  /** Runs a query in the transaction of this tick. Errors of SQLite are thrown as they are. */
  read: <T>(query: () => T) => T;
  /** Ends the open transaction early, and forgets what is `passedOn`. */
  endRead: () => void;
  /** Looks for writes of other processes, and forgets the kept rows if there are some. The result differs with each of them. */
  look: () => number;
  /**
   * Reads with `load`, and keeps what it returns for an id, also undefined, until a row of `keptTables` changes. A change of
   * another process is seen by the first tick that begins 1 ms after the last look: kept rows can be older than other rows of
   * their tick. The values are frozen, because all callers share them.
   */
  kept: <T extends object>(load: (id: string) => T | undefined) => (id: string) => T | undefined;
  /**
   * Values by id that the next write of this process could make wrong: they are forgotten before it, and with the tick of the
   * event loop. A write of another process is not noticed.
   */
  passedOn: <T>() => { get: (id: string) => T | undefined; set: (id: string, value: T) => void };
}

/** Rows of one kind that are kept. */
const maxKept = 10_000;
/** How often writes of other processes are looked for, in milliseconds. A tick that needs kept rows alone opens no transaction meanwhile. */
const lookInterval = 1;

export function sharedReads(db: DatabaseSync): SharedReads {
  const begin = db.prepare("BEGIN");
  const commit = db.prepare("COMMIT");
  const versionOfOthers = tuples<[number]>(db, "PRAGMA data_version"); // changes with commits of other connections only
  const kinds: Map<string, object | undefined>[] = [];
  const values: Map<string, unknown>[] = [];
  let seen = 0;
  let lookedAt = -Infinity;
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
    if (performance.now() - lookedAt >= lookInterval) look();
  }

  function look(): number {
    const now = performance.now(); // before: what is committed meanwhile is seen by the next look
    const [version = 0] = versionOfOthers.get() ?? [];
    if (version !== seen) forget();
    [seen, lookedAt] = [version, now];
    return version;
  }

  function endRead(): void {
    for (const map of values) if (map.size > 0) map.clear();
    if (!reading) return;
    reading = false;
    try {
      commit.run();
    } catch {
      // A damaged page: the query that read it has thrown. Nothing was written, so nothing is lost.
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  }

  function read<T>(query: () => T): T {
    if (!reading && !db.isTransaction) beginRead();
    return query();
  }

  /** Whether a kept row can be returned without a transaction. In one, `reading` decides. */
  const isKnown = (): boolean => !db.isTransaction && performance.now() - lookedAt < lookInterval;

  return {
    endRead,
    read,
    look,

    kept<T extends object>(load: (id: string) => T | undefined) {
      const kind = new Map<string, object | undefined>();
      kinds.push(kind);
      return (id: string): T | undefined => {
        if (kind.has(id) && isKnown()) return kind.get(id) as T | undefined;
        return read(() => {
          if (!reading) return load(id); // what a write transaction reads can be rolled back
          if (kind.has(id)) return kind.get(id) as T | undefined;
          const loaded = load(id);
          if (kind.size >= maxKept) kind.clear();
          kind.set(id, loaded && frozen(loaded));
          return loaded;
        });
      };
    },

    passedOn<T>() {
      const map = new Map<string, T>();
      values.push(map);
      return {
        get: (id: string) => map.get(id),
        set(id: string, value: T) {
          if (map.size === 0) setImmediate(endRead);
          map.set(id, value);
        },
      };
    },
  };
}

function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) frozen(part as object);
  return Object.freeze(value);
}
