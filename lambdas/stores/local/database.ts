import { DatabaseSync } from "node:sqlite";

const schemaVersion = 1;
const schema = `
  CREATE TABLE organizations (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE agents (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_agent ON keys (agent_id);
  -- Rows are kept in the order of creation ("seq"), and what belongs to a run beside its neighbours': a commit then
  -- writes a few pages at the end of each table. Keyed by the random id it wrote some for every run (1/3 of the speed).
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, organization_id TEXT NOT NULL,
    name TEXT NOT NULL, status TEXT NOT NULL, turn INTEGER NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, failure TEXT
  ) STRICT;
  CREATE INDEX runs_by_agent ON runs (agent_id, created_at);
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'running';
  -- "input_to_agent" sorts before "output_from_agent", so the primary key is the transcript's order.
  CREATE TABLE messages (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn, role)
  ) STRICT, WITHOUT ROWID;
  -- "answer" sorts before "results", so the primary key is the order of recording.
  CREATE TABLE steps (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, part TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run, turn, step, part)
  ) STRICT, WITHOUT ROWID;
`;

/** One SQLite file. Reads go to `db` directly; every write goes through `write`. */
export interface Database {
  db: DatabaseSync;
  /**
   * Runs `operation` inside a transaction and resolves with its value once that is on disk. Operations that arrive
   * in the same tick of the event loop share one transaction and so one fsync (group commit). An operation that
   * throws is undone alone and its promise rejects.
   */
  write: <T>(operation: () => T) => Promise<T>;
  /** A function that calls `changed` when another process has written to the file since its last call. */
  onOutsideWrite(changed: () => void): () => void;
  close(): void;
}

interface Pending {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

export function openDatabase(file: string): Database {
  const db = new DatabaseSync(file, { timeout: 5_000 }); // ms to wait for another process's write
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  migrate(db, file);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let pending: Pending[] = [];

  function flush(): void {
    const batch = pending;
    pending = [];
    const settled = transact(batch) ?? batch.map((one) => transact([one])?.[0] ?? (() => undefined));
    for (const settle of settled) settle();
  }

  /** Undefined: an operation of several threw and all were undone. A single one's error is its own. */
  function transact(batch: Pending[]): (() => void)[] | undefined {
    try {
      begin.run();
      const settled = batch.map(({ run, resolve }) => {
        const value = run();
        return () => resolve(value);
      });
      commit.run();
      return settled;
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      return batch.length > 1
        ? undefined
        : batch.map(
            ({ reject }) =>
              () =>
                reject(error),
          );
    }
  }

  return {
    db,
    write<T>(operation: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (pending.push({ run: operation, resolve: resolve as (value: unknown) => void, reject }) === 1) {
          setImmediate(flush);
        }
      });
    },
    onOutsideWrite(changed) {
      const dataVersion = db.prepare("PRAGMA data_version"); // other connections' commits only
      let seen = dataVersion.get()?.["data_version"];
      return () => {
        const now = dataVersion.get()?.["data_version"];
        if (now !== seen) changed();
        seen = now;
      };
    },
    close() {
      if (pending.length > 0) flush();
      db.close();
    },
  };
}

function migrate(db: DatabaseSync, file: string): void {
  db.exec("BEGIN IMMEDIATE");
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version === 0) db.exec(`${schema} PRAGMA user_version = ${schemaVersion}`);
  db.exec("COMMIT");
  if (version > schemaVersion) {
    throw new Error(
      `${file} was written by a newer version of this service (schema ${version}, this one knows ${schemaVersion}): ` +
        "update the service, or use another --data-dir",
    );
  }
}
