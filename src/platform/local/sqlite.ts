import { statfsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../errors.ts";

const schemaVersion = 2;

// The parts' names sort in the order in which a step's parts are made, so that the primary key is it, too.
const steps = `
  CREATE TABLE steps (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, part TEXT NOT NULL, call INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (run, turn, step, part, call)
  ) STRICT, WITHOUT ROWID;`;
const queueAndSummaries = `
  CREATE TABLE queue (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE summaries (run INTEGER PRIMARY KEY, through_turn INTEGER NOT NULL, text TEXT NOT NULL) STRICT;`;

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
    updated_at INTEGER NOT NULL, failure TEXT, queued INTEGER NOT NULL DEFAULT 0, used TEXT
  ) STRICT;
  CREATE INDEX runs_by_agent ON runs (agent_id, created_at);
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'running';
  -- "input_to_agent" sorts before "output_from_agent", so the primary key is the transcript's order.
  CREATE TABLE messages (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn, role)
  ) STRICT, WITHOUT ROWID;
  ${steps}
  ${queueAndSummaries}
`;

// From version 1: a step's results become parts of their own, and runs count what waits and what was used.
const fromVersion1 = `
  ALTER TABLE runs ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN used TEXT;
  ALTER TABLE steps RENAME TO steps_1;
  ${steps}
  INSERT INTO steps SELECT run, turn, step, part, 0, body FROM steps_1 WHERE part <> 'results';
  INSERT INTO steps
    SELECT run, turn, step, 'result', results.key, json_object(
      'turn', turn, 'step', step, 'part', 'result', 'call', results.key, 'result', json(results.value)
    ) FROM steps_1, json_each(steps_1.body, '$.results') AS results WHERE part = 'results';
  DROP TABLE steps_1;
  ${queueAndSummaries}
`;

/**
 * One SQLite file. Every read goes through `read` and every write through `write`; both fail with `StoreUnavailable`
 * when another process keeps the file locked for longer than 5 s, or the disk is full.
 */
export interface Database {
  db: DatabaseSync;
  /**
   * Runs `query` and gives its value. Reads of the same tick of the event loop share one read transaction: taking the
   * file's locks for each statement anew cost a poll a third of its time.
   */
  read: <T>(query: () => T) => T;
  /**
   * Runs `operation` inside a transaction and resolves with its value once that is on disk. Operations that arrive
   * in the same tick of the event loop share one transaction and so one fsync (group commit). An operation that
   * throws is undone alone and its promise rejects.
   */
  write: <T>(operation: () => T) => Promise<T>;
  /** Whether the last write was refused for want of room, or of the lock. */
  refusesWrites: () => boolean;
  /** A function that calls `changed` when another process has written to the file since its last call. */
  onOutsideWrite(changed: () => void): () => void;
  /**
   * Makes the write-ahead log as long as it ever gets, where the disk has plenty of room. Commits that lengthen it take
   * twice as long as those that write over an earlier part: 230 and 115 µs on ext4.
   */
  reserveLog(): void;
  /** False once the file was removed or moved: what is written then goes nowhere that a later start would find. */
  inPlace(): boolean;
  close(): void;
}

interface Pending {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Milliseconds to wait for another process's write, and between two looks whether it has ended. */
const [patience, lockedAgain] = [5_000, 5];
const lockedByOther = "another process keeps the database locked";
/** 16 MB; at SQLite's 1,000 pages one create in 110 waited for a checkpoint. */
const logPages = 4_000;
/** Of 4 KiB, with the frame around each. */
const logBytes = logPages * 4_120;
/** What SQLite keeps in memory of a transaction before it writes to the log, by default. */
const cacheBytes = 2_048_000;

export function openDatabase(file: string): Database {
  const db = new DatabaseSync(file, { timeout: patience });
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${logPages}`);
  migrate(db, file);
  db.exec("PRAGMA busy_timeout = 0"); // see flush
  const beginRead = db.prepare("BEGIN");
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let pending: Pending[] = [];
  let reading = false;
  let refusing = false;

  function endRead(): void {
    if (!reading) return;
    reading = false;
    try {
      commit.run();
    } catch {
      // After a damaged page was met, which its reader was told of. Nothing was written, so nothing is lost.
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  }

  /** Begins the next write; false when another process has the lock. Anything else wrong is left to `transact`. */
  function tryBegin(): boolean {
    try {
      begin.run();
      return true;
    } catch (error) {
      return !isBusy(error);
    }
  }

  /** Waits for another process's write, if need be, and stops this process meanwhile. */
  function patiently<T>(work: () => T): T {
    db.exec(`PRAGMA busy_timeout = ${patience}`);
    try {
      return work();
    } finally {
      db.exec("PRAGMA busy_timeout = 0");
    }
  }

  /** SQLite's own way to wait for a lock would stop the whole process; this one lets it answer polls meanwhile. */
  function flush(deadline = performance.now() + patience): void {
    endRead();
    const batch = pending;
    if (batch.length === 0) return; // closed while it waited
    const locked = !tryBegin();
    if (locked && performance.now() < deadline) {
      setTimeout(flush, lockedAgain, deadline);
      return;
    }
    pending = [];
    if (locked) {
      refusing = true;
      for (const { reject } of batch) reject(new StoreUnavailable(lockedByOther));
      return;
    }
    const settled = transact(batch) ?? patiently(() => batch.map((one) => transact([one])?.[0] ?? (() => undefined)));
    for (const settle of settled) settle();
  }

  /** Undefined: an operation of several threw and all were undone. A single one's error is its own. */
  function transact(batch: Pending[]): (() => void)[] | undefined {
    try {
      if (!db.isTransaction) begin.run();
      const settled = batch.map(({ run, resolve }) => {
        const value = run();
        return () => resolve(value);
      });
      commit.run();
      refusing = false;
      return settled;
    } catch (thrown) {
      if (db.isTransaction) db.exec("ROLLBACK");
      const error = namedError(thrown);
      refusing ||= error instanceof StoreUnavailable;
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
    read(query) {
      try {
        if (!reading && !db.isTransaction) {
          beginRead.run();
          reading = true;
          setImmediate(endRead);
        }
        return query();
      } catch (error) {
        throw namedError(error);
      }
    },
    write<T>(operation: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (pending.push({ run: operation, resolve: resolve as (value: unknown) => void, reject }) === 1) {
          setImmediate(() => flush());
        }
      });
    },
    refusesWrites: () => refusing,
    onOutsideWrite(changed) {
      const dataVersion = db.prepare("PRAGMA data_version"); // other connections' commits only
      let seen = dataVersion.get()?.["data_version"];
      return () => {
        endRead(); // its snapshot would hide what is new
        const now = dataVersion.get()?.["data_version"];
        if (now !== seen) changed();
        seen = now;
      };
    },
    reserveLog() {
      const { bavail, bsize } = statfsSync(file);
      const length = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      if (length >= logBytes || bavail * bsize < 10 * logBytes) return;
      endRead();
      try {
        db.exec(
          `BEGIN; CREATE TABLE zeros (content BLOB); INSERT INTO zeros VALUES (zeroblob(${logBytes + cacheBytes}))`,
        );
      } catch {
        // Locked, full or damaged: whoever needs the database is told, and this only makes it faster.
      } finally {
        if (db.isTransaction) db.exec("ROLLBACK"); // what went to the log is never valid, but its place is taken
      }
    },
    inPlace() {
      try {
        return statSync(file, { throwIfNoEntry: false }) !== undefined;
      } catch {
        return true; // a disk that can't be asked just now
      }
    },
    close() {
      endRead();
      if (pending.length > 0) patiently(() => flush(0));
      db.close();
    },
  };
}

/** SQLite's primary result codes: https://www.sqlite.org/rescode.html */
const [busy, full] = [5, 13];
/** Extended: SQLITE_IOERR_WRITE, which stands for a quota that is used up. */
const notWritten = 778;
const extendedCodeOf = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0;
const codeOf = (error: unknown): number => extendedCodeOf(error) & 0xff;

/** Whether another process holds a lock that was needed. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === busy;
}

function isFull(error: unknown): boolean {
  return codeOf(error) === full || extendedCodeOf(error) === notWritten;
}

function namedError(error: unknown): unknown {
  if (isBusy(error)) return new StoreUnavailable(lockedByOther, { cause: error });
  if (isFull(error)) return new StoreUnavailable("the database's disk is full", { cause: error });
  return error;
}

function migrate(db: DatabaseSync, file: string): void {
  db.exec("BEGIN IMMEDIATE");
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const script = [schema, fromVersion1][version];
  if (script !== undefined) db.exec(`${script} PRAGMA user_version = ${schemaVersion}`);
  db.exec("COMMIT");
  if (version > schemaVersion) {
    throw new Error(
      `${file} was written by a newer version of this service (schema ${version}, this one knows ${schemaVersion}): ` +
        "update the service, or use another --data-dir",
    );
  }
}
