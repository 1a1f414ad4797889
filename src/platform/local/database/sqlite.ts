import { statfsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../../errors.ts";
import { scrubber } from "./scrub.ts";
import { migrate } from "./schema.ts";
import { type SharedReads, sharedReads } from "./shared-reads.ts";

/**
 * One SQLite file. Every read goes through `read` and every write through `write`. Both fail with `StoreUnavailable`
 * when another process locks the file for more than 5 s, or when the disk is full.
 */
export interface Database {
  db: DatabaseSync;
  /**
   * Runs `query` and returns its value. Reads in the same tick of the event loop share one read transaction: locking the
   * file for each statement takes a third of the time of a poll.
   */
  read: <T>(query: () => T) => T;
  /** See `SharedReads`. */
  kept: SharedReads["kept"];
  /** See `SharedReads`. */
  passedOn: SharedReads["passedOn"];
  /**
   * Runs `operation` in a transaction; resolves with its value after the fsync. Operations in the same tick of the event
   * loop share one transaction and one fsync (group commit). An operation that throws is rolled back alone.
   */
  write: <T>(operation: () => T) => Promise<T>;
  /** Whether the last write failed because the disk was full or the file locked. */
  refusesWrites: () => boolean;
  /** Returns a function that calls `changed` if another process has written since the previous call. */
  onOutsideWrite(changed: () => void): () => void;
  /**
   * Extends the write-ahead log to its full size. A commit that extends it takes twice as long: 0.33 instead of 0.16 ms
   * per journal entry, for the first 16 MB after a start. A no-op if the log is long enough or the disk nearly full.
   */
  preallocateLog(): void;
  /** Resolves when nothing that was deleted before the call is left in the file and its log. See `scrub.ts`. */
  scrub: () => Promise<void>;
  close(): void;
}

interface Pending {
  run: () => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Milliseconds to wait for the lock of another process, and between two attempts to take it. */
const [lockTimeout, lockRetry] = [5_000, 5];
const lockedByOther = "another process keeps the database locked";
/** Pages between checkpoints: 16 MB. At SQLite's default of 1,000, one create in 110 waited for a checkpoint. */
const checkpointPages = 4_000;
/** Pages of 4 KiB, each with the header of its frame. */
const logBytes = checkpointPages * 4_120;
/** SQLite's default: it keeps so much of a transaction in memory before it writes to the log. */
const cacheBytes = 2_048_000;

export function openDatabase(file: string): Database {
  const db = new DatabaseSync(file, { timeout: lockTimeout });
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  // Overwrites what is deleted. Of a run's writes, it costs those that free whole pages: 1 % more pages. With FAST, such
  // pages keep their content.
  db.exec("PRAGMA secure_delete = ON");
  migrate(db, file);
  db.exec("PRAGMA busy_timeout = 0"); // see flush
  const reads = sharedReads(db);
  const { read, endRead, look, kept, passedOn } = reads;
  const { write, refusesWrites, flushNow } = groupCommit(db, reads);
  let isPreallocated = false;
  const truncated = (): void => {
    if (isPreallocated && db.isOpen) database.preallocateLog();
  };

  const database: Database = {
    db,
    passedOn,
    write,
    refusesWrites,
    read: named(read),
    kept: (load) => named(kept(load)),
    scrub: scrubber({ db, file, endRead, truncated }),
    preallocateLog() {
      isPreallocated = true;
      const { bavail, bsize } = statfsSync(file);
      const length = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      if (length >= logBytes || bavail * bsize < 10 * logBytes) return;
      endRead();
      try {
        const bytes = logBytes + cacheBytes;
        db.exec(`BEGIN; CREATE TABLE zeros (content BLOB); INSERT INTO zeros VALUES (zeroblob(${bytes}))`);
      } catch {
        // Locked, full or damaged: later writes report it. This one only saves time.
      } finally {
        if (db.isTransaction) db.exec("ROLLBACK"); // the frames are never valid, but the file has its size
      }
    },
    onOutsideWrite(changed) {
      let seen = look();
      return () => {
        endRead(); // its snapshot hides newer commits
        const now = look();
        if (now !== seen) changed();
        seen = now;
      };
    },
    close() {
      endRead();
      flushNow();
      db.close();
    },
  };
  return database;
}

/** Write transactions, one per tick of the event loop. `flushNow` writes what is pending and may block on the lock. */
function groupCommit(
  db: DatabaseSync,
  { endRead, look }: Pick<SharedReads, "endRead" | "look">,
): Pick<Database, "write" | "refusesWrites"> & { flushNow: () => void } {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let pending: Pending[] = [];
  let refusing = false;

  /** Begins the next write. False: another process has the lock. `transact` reports other errors. */
  function tryBegin(): boolean {
    try {
      begin.run();
      return true;
    } catch (error) {
      return !isBusy(error);
    }
  }

  /** Waits for the lock with a timer: SQLite's busy timeout would block the process, and with it all polls. */
  function flush(deadline = performance.now() + lockTimeout): void {
    endRead();
    const batch = pending;
    if (batch.length === 0) return; // closed meanwhile
    const locked = !tryBegin();
    if (locked && performance.now() < deadline) {
      setTimeout(flush, lockRetry, deadline);
      return;
    }
    pending = [];
    if (locked) {
      refusing = true;
      for (const { reject } of batch) reject(new StoreUnavailable(lockedByOther, { unchanged: true }));
      return;
    }
    const settled =
      transact(batch) ?? withBusyTimeout(db, () => batch.map((one) => transact([one])?.[0] ?? (() => undefined)));
    for (const settle of settled) settle();
  }

  /** Undefined: one of several operations threw, and all were rolled back. A single operation is rejected. */
  function transact(batch: Pending[]): (() => void)[] | undefined {
    try {
      if (!db.isTransaction) begin.run();
      look(); // a write that fails because of another process's is repeated on fresh rows
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
      const rejections = batch.map(
        ({ reject }) =>
          () =>
            reject(error),
      );
      return batch.length > 1 ? undefined : rejections;
    }
  }

  return {
    write<T>(operation: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        if (pending.push({ run: operation, resolve: resolve as (value: unknown) => void, reject }) === 1) {
          setImmediate(() => flush());
        }
      });
    },
    refusesWrites: () => refusing,
    flushNow() {
      if (pending.length > 0) withBusyTimeout(db, () => flush(0));
    },
  };
}

/** Runs `work` with SQLite's busy timeout, which blocks the process while another one has the lock. */
function withBusyTimeout<T>(db: DatabaseSync, work: () => T): T {
  db.exec(`PRAGMA busy_timeout = ${lockTimeout}`);
  try {
    return work();
  } finally {
    db.exec("PRAGMA busy_timeout = 0");
  }
}

/** Primary result codes: https://www.sqlite.org/rescode.html */
const [busy, full] = [5, 13];
/** Extended code SQLITE_IOERR_WRITE: an exhausted disk quota. */
const writeError = 778;
const extendedCodeOf = (error: unknown): number => (error as { errcode?: number }).errcode ?? 0;
const codeOf = (error: unknown): number => extendedCodeOf(error) & 0xff;

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === busy;
}

function isFull(error: unknown): boolean {
  return codeOf(error) === full || extendedCodeOf(error) === writeError;
}

/** The function, with errors as `namedError` names them. */
function named<Given, Value>(call: (given: Given) => Value): (given: Given) => Value {
  return (given) => {
    try {
      return call(given);
    } catch (error) {
      throw namedError(error);
    }
  };
}

function namedError(error: unknown): unknown {
  if (isBusy(error)) return new StoreUnavailable(lockedByOther, { cause: error, unchanged: true });
  if (isFull(error)) {
    return new StoreUnavailable("the database's disk is full", { cause: error, unchanged: true, full: true });
  }
  return error;
}
