import { fdatasyncSync, openSync, read as readWithCallback, readSync, statSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { pause } from "../../../async/backoff.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { removeUpgradeCopies } from "./upgrade-copy.ts";
import { maxPages, type PageRange, remainsIn } from "./unused-space.ts";

const readAt = promisify(readWithCallback);

/** Bytes that are read at a time in the search for remains. */
const partBytes = 1024 * 1024;
/** Pages that are overwritten at a time, while the file is locked. */
const lockedPages = 500;
/** Milliseconds between two attempts to lock the file, and for all attempts together. */
const [lockRetry, lockTimeout] = [5, 10_000];

/** What `scrubber` needs of the connection. */
interface Connection {
  db: DatabaseSync;
  file: string;
  /** Ends the connection's read transaction, which blocks a checkpoint. */
  endRead: () => void;
  /** Called after the log was emptied. */
  truncated: () => void;
}

/**
 * Returns a function that resolves when nothing that was deleted before the call is left in the database file, its log and its
 * copies from before an upgrade, which it removes.
 * Calls that arrive during a pass share the next one. A pass reads the whole file: about 1 s per GB.
 */
export function scrubber(connection: Connection): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  return () => {
    if (next) return next;
    if (!running) return (running = pass().finally(() => (running = undefined)));
    next = running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return (running = pass().finally(() => (running = undefined)));
      });
    return next;
  };

  /** Searches without a lock, so that others can write. What is written after the checkpoint has no copy of a deleted row. */
  async function pass(): Promise<void> {
    removeUpgradeCopies(connection.file);
    await untilUnlocked(() => checkpoint(connection));
    const { fd, pageBytes } = openPages(connection);
    const found = await findRemains(fd, pageBytes);
    for (let first = 0; first === 0 || first < found.length; first += lockedPages) {
      const some = found.slice(first, first + lockedPages);
      await untilUnlocked(() => checkpoint(connection) && zero(connection, fd, pageBytes, some));
    }
    connection.truncated();
  }
}

/** Moves the log into the file and empties it. False: another connection reads or writes. */
function checkpoint({ db, endRead }: Connection): boolean {
  endRead();
  return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
}

async function untilUnlocked(attempt: () => boolean): Promise<void> {
  const deadline = performance.now() + lockTimeout;
  while (!attempt()) {
    if (performance.now() > deadline) {
      throw new StoreUnavailable("deleted texts could not be removed: other processes keep the database busy; retry");
    }
    await pause(lockRetry);
  }
}

/**
 * Descriptors of database files. They stay open until the process ends: closing one would release the locks that SQLite has
 * on the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
const descriptors = new Map<string, number>();

function openPages({ db, file }: Connection): { fd: number; pageBytes: number } {
  const pageBytes = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
  const { ino, size } = statSync(file);
  if (size / pageBytes >= maxPages) {
    throw new Error(
      `${file} is larger than 128 GiB, in which deleted texts cannot be overwritten: stop the service and run VACUUM`,
    );
  }
  const key = `${ino} ${file}`;
  const fd = descriptors.get(key) ?? openSync(file, "r+");
  descriptors.set(key, fd);
  return { fd, pageBytes };
}

/** The numbers of the b-tree pages with remains. */
async function findRemains(fd: number, pageBytes: number): Promise<number[]> {
  const part = Buffer.allocUnsafe(partBytes);
  const found: number[] = [];
  for (let position = 0; ;) {
    const { bytesRead } = await readAt(fd, part, 0, partBytes, position);
    for (let at = 0; at + pageBytes <= bytesRead; at += pageBytes) {
      const number = (position + at) / pageBytes + 1;
      if (remainsIn(part.subarray(at, at + pageBytes), number).length > 0) found.push(number);
    }
    if (bytesRead < partBytes) return found;
    position += bytesRead;
  }
}

/**
 * Overwrites the remains in the file, which is safe while the log is empty and locked: readers use other bytes of the same
 * pages. Then forgets the pages that this connection keeps; the commit lets other connections forget theirs. False: another
 * process has the lock or has written to the log.
 */
function zero({ db, file, endRead }: Connection, fd: number, pageBytes: number, found: number[]): boolean {
  endRead();
  try {
    db.exec("BEGIN IMMEDIATE");
  } catch {
    return false;
  }
  try {
    if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return false;
    const page = Buffer.allocUnsafe(pageBytes);
    const load = (number: number): Buffer => {
      readSync(fd, page, 0, pageBytes, (number - 1) * pageBytes);
      return page;
    };
    const clear = (number: number, ranges: PageRange[]): void => {
      for (const { start, end } of ranges) {
        writeSync(fd, Buffer.alloc(end - start), 0, end - start, (number - 1) * pageBytes + start);
      }
    };
    for (const number of found) clear(number, remainsIn(load(number), number));
    for (const number of freePages(load)) {
      if (load(number).some((byte) => byte !== 0)) clear(number, [{ start: 0, end: pageBytes }]);
    }
    fdatasyncSync(fd);
    db.exec("PRAGMA shrink_memory");
    db.exec("REPLACE INTO summaries VALUES (-1, 0, ''); DELETE FROM summaries WHERE run = -1"); // a commit needs a change
    db.exec("COMMIT");
    return true;
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

/** Numbers of the pages of the free list that SQLite does not read. Earlier versions did not overwrite them. */
function freePages(load: (number: number) => Buffer): number[] {
  const found: number[] = [];
  for (let trunk = load(1).readUInt32BE(32); trunk !== 0;) {
    const page = load(trunk);
    const count = page.readUInt32BE(4);
    for (let index = 0; index < count; index++) found.push(page.readUInt32BE(8 + 4 * index));
    trunk = page.readUInt32BE(0);
  }
  return found;
}
