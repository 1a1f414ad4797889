import { closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { pause } from "../../../async/backoff.ts";
import { canBegin } from "../../../runs/read/words.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { tuples } from "./query.ts";
import { isBusy } from "./sqlite.ts";

// The words of records, in a file of its own, which is made again when it is missing: the database has the texts. A chunk has the words
// of some runs of one organization in one FTS5 table. To forget a run, its chunk is dropped: FTS5 leaves words of deleted rows in the file,
// even with its option secure-delete (counted: 1 of 24,000 words), and SQLite overwrites the pages of a dropped table.

const version = 1;
/** A chunk is full with so many runs, or so many bytes of words. More runs are forgotten with one, fewer make a search slower. */
const [maxChunkRuns, maxChunkBytes] = [200, 4 * 1024 * 1024];
/** Records of a run that have a number of their own. */
const recordsPerRun = 2 ** 24;
/** Candidates of a chunk, and bytes of a word in the index. */
const [maxFound, maxWord] = [2_000, 64];
/** Milliseconds to wait for another process, and for all attempts to empty the log. */
const [lockTimeout, emptyTimeout, emptyRetry] = [5_000, 10_000, 5];

/** What the index knows of a run. `sequence`: of its last record that is in the index. */
export interface IndexedRun {
  number: number;
  chunk: number;
  sequence: number;
}

export interface WordTables {
  indexedRun(runId: string): IndexedRun | undefined;
  /** Adds records of a run. `read`: the records after the last one that is in the index; called while the index is locked. */
  add(run: { id: string; organizationId: string; createdAt: number }, read: (after: number) => NewWords): boolean;
  /** The records with all words, by the `number` of their run, and the chunks that were searched. */
  find(
    organizationIds: string[],
    phrases: string[][],
  ): Promise<{ found: Map<number, number[]>; searched: Set<number>; complete: boolean }>;
  /** Resolves when the run, and those that share its chunk, are not in the index. */
  forget(runId: string): Promise<void>;
  /** Forgets chunks whose runs were all created before. */
  forgetBefore(time: number): void;
  close(): void;
}

/** Words of the next records of a run. `through`: number of the last one. `more`: there are further ones. */
export interface NewWords {
  records: { sequence: number; words: Iterable<string> }[];
  through: number;
  more: boolean;
}

/** Opens the file, or makes it. A damaged file, and one of another version, is made again. */
export function openWordTables(file: string): WordTables {
  try {
    return wordTables(opened(file));
  } catch (error) {
    if (isBusy(error)) throw new StoreUnavailable("another process keeps the search index locked", { cause: error });
    removeWordTables(file);
    return wordTables(opened(file));
  }
}

function removeWordTables(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
}

function opened(file: string): DatabaseSync {
  closeSync(openSync(file, "a", 0o600)); // words are private; SQLite would use the umask
  const db = new DatabaseSync(file, { timeout: lockTimeout });
  try {
    db.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 200; PRAGMA secure_delete = ON; BEGIN IMMEDIATE",
    );
    const found = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (found !== 0 && found !== version) throw new Error(`the index has version ${found}`);
    db.exec(`
      CREATE TABLE IF NOT EXISTS chunks (
        chunk INTEGER PRIMARY KEY AUTOINCREMENT, organization_id TEXT NOT NULL, runs INTEGER NOT NULL, bytes INTEGER NOT NULL,
        newest INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS chunks_by_organization ON chunks (organization_id, chunk);
      CREATE TABLE IF NOT EXISTS runs (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, chunk INTEGER NOT NULL, sequence INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX IF NOT EXISTS runs_by_chunk ON runs (chunk);
      PRAGMA user_version = ${version};
      COMMIT`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function wordTables(db: DatabaseSync): WordTables {
  const runOf = tuples<[number: number, chunk: number, sequence: number]>(
    db,
    "SELECT number, chunk, sequence FROM runs WHERE id = ?",
  );
  const openChunk = tuples<[chunk: number]>(
    db,
    `SELECT chunk FROM chunks WHERE organization_id = ? AND runs < ${maxChunkRuns} AND bytes < ${maxChunkBytes} ORDER BY chunk DESC LIMIT 1`,
  );
  const chunksOf = tuples<[chunk: number]>(
    db,
    "SELECT chunk FROM chunks WHERE organization_id = ? ORDER BY chunk DESC",
  );
  const chunkOf = tuples<[chunk: number]>(db, "SELECT chunk FROM chunks WHERE chunk = ?");
  const oldChunks = tuples<[chunk: number]>(db, "SELECT chunk FROM chunks WHERE newest < ?");
  const insertChunk = db.prepare("INSERT INTO chunks (organization_id, runs, bytes, newest) VALUES (?, 0, 0, 0)");
  const insertRun = db.prepare("INSERT INTO runs (id, chunk, sequence) VALUES (?, ?, 0)");
  const countRun = db.prepare("UPDATE chunks SET runs = runs + 1, newest = max(newest, ?) WHERE chunk = ?");
  const countBytes = db.prepare("UPDATE chunks SET bytes = bytes + ? WHERE chunk = ?");
  const setSequence = db.prepare("UPDATE runs SET sequence = ? WHERE number = ?");
  const dropRuns = db.prepare("DELETE FROM runs WHERE chunk = ?");
  const dropChunk = db.prepare("DELETE FROM chunks WHERE chunk = ?");

  function inTransaction<T>(work: () => T): T {
    db.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      db.exec("COMMIT");
      return value;
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  }

  function newRun({ id, organizationId, createdAt }: Parameters<WordTables["add"]>[0]): IndexedRun {
    let chunk = openChunk.get(organizationId)?.[0];
    if (chunk === undefined) {
      chunk = Number(insertChunk.run(organizationId).lastInsertRowid);
      // The words are separated by spaces. Only whether a record has a word is stored.
      db.exec(
        `CREATE VIRTUAL TABLE ${tableOf(chunk)} USING fts5 (words, content = '', detail = none, columnsize = 0, tokenize = 'ascii')`,
      );
    }
    countRun.run(createdAt, chunk);
    return { number: Number(insertRun.run(id, chunk).lastInsertRowid), chunk, sequence: 0 };
  }

  const indexedRun: WordTables["indexedRun"] = (runId) => {
    const [number, chunk, sequence] = runOf.get(runId) ?? [];
    return number === undefined || chunk === undefined || sequence === undefined
      ? undefined
      : { number, chunk, sequence };
  };

  /** The records of a chunk that match. Undefined: it was dropped meanwhile. */
  function matchesIn(chunk: number, query: string): [id: number][] | undefined {
    const table = tableOf(chunk);
    const matching = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid LIMIT ${maxFound}`;
    db.exec("BEGIN"); // another process can drop it
    try {
      return chunkOf.get(chunk) && tuples<[id: number]>(db, matching).all(query);
    } finally {
      db.exec("COMMIT");
    }
  }

  function drop(chunk: number): void {
    db.exec(`DROP TABLE ${tableOf(chunk)}`);
    dropRuns.run(chunk);
    dropChunk.run(chunk);
  }

  return {
    indexedRun,

    add: (run, read) =>
      inTransaction(() => {
        const { number, chunk, sequence: after } = indexedRun(run.id) ?? newRun(run);
        const { records, through, more } = read(after);
        const insert = db.prepare(`INSERT INTO ${tableOf(chunk)} (rowid, words) VALUES (?, ?)`);
        let bytes = 0;
        for (const { sequence, words } of records) {
          const text = [...words].map((word) => word.slice(0, maxWord)).join(" ");
          insert.run(number * recordsPerRun + sequence, text);
          bytes += text.length;
        }
        countBytes.run(bytes, chunk);
        setSequence.run(through, number);
        return more;
      }),

    async find(organizationIds, phrases) {
      const words = phrases.flatMap((phrase) =>
        phrase.map((word, index) => {
          const isStart = word.length > maxWord || (index === phrase.length - 1 && canBegin(word));
          return `"${word.slice(0, maxWord)}"${isStart ? "*" : ""}`;
        }),
      );
      const found = new Map<number, number[]>();
      const searched = new Set<number>();
      let complete = true;
      for (const [chunk] of organizationIds.flatMap((id) => chunksOf.all(id))) {
        const ids = matchesIn(chunk, words.join(" AND "));
        if (ids) searched.add(chunk);
        complete &&= (ids?.length ?? 0) < maxFound;
        for (const [id] of ids ?? []) {
          const number = Math.floor(id / recordsPerRun);
          const known = found.get(number);
          if (known) known.push(id % recordsPerRun);
          else found.set(number, [id % recordsPerRun]);
        }
        await setImmediate();
      }
      return { found, searched, complete };
    },

    async forget(runId) {
      inTransaction(() => {
        const found = indexedRun(runId);
        if (found) drop(found.chunk);
      });
      const deadline = performance.now() + emptyTimeout;
      // The log has copies of the dropped pages.
      while (db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 0) {
        if (performance.now() > deadline) {
          throw new StoreUnavailable("deleted texts could not be removed from the search index: it is busy; retry");
        }
        await pause(emptyRetry);
      }
    },

    forgetBefore(time) {
      const old = oldChunks.all(time);
      if (old.length > 0) inTransaction(() => old.forEach(([chunk]) => drop(chunk)));
    },

    close: () => db.close(),
  };
}

function tableOf(chunk: number): string {
  return `words_${chunk}`;
}
