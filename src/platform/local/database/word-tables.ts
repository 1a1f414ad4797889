import { closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { pause } from "../../../async/backoff.ts";
import { canBegin } from "../../../runs/read/search/words.ts";
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

type NewIndexedRun = { id: string; organizationId: string; createdAt: number };

export interface WordTables {
  indexedRun(runId: string): IndexedRun | undefined;
  /** Adds records of a run. `read`: the records after the last one that is in the index; called while the index is locked. */
  add(run: NewIndexedRun, read: (after: number) => NewWords): boolean;
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
    return new SqliteWordTables(opened(file));
  } catch (error) {
    if (isBusy(error)) throw new StoreUnavailable("another process keeps the search index locked", { cause: error });
    removeWordTables(file);
    return new SqliteWordTables(opened(file));
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

/** The statements of the index. */
function prepared(db: DatabaseSync) {
  return {
    runOf: tuples<[number: number, chunk: number, sequence: number]>(
      db,
      "SELECT number, chunk, sequence FROM runs WHERE id = ?",
    ),
    openChunk: tuples<[chunk: number]>(
      db,
      `SELECT chunk FROM chunks WHERE organization_id = ? AND runs < ${maxChunkRuns} AND bytes < ${maxChunkBytes} ORDER BY chunk DESC LIMIT 1`,
    ),
    chunksOf: tuples<[chunk: number]>(db, "SELECT chunk FROM chunks WHERE organization_id = ? ORDER BY chunk DESC"),
    chunkOf: tuples<[chunk: number]>(db, "SELECT chunk FROM chunks WHERE chunk = ?"),
    oldChunks: tuples<[chunk: number]>(db, "SELECT chunk FROM chunks WHERE newest < ?"),
    insertChunk: db.prepare("INSERT INTO chunks (organization_id, runs, bytes, newest) VALUES (?, 0, 0, 0)"),
    insertRun: db.prepare("INSERT INTO runs (id, chunk, sequence) VALUES (?, ?, 0)"),
    countRun: db.prepare("UPDATE chunks SET runs = runs + 1, newest = max(newest, ?) WHERE chunk = ?"),
    countBytes: db.prepare("UPDATE chunks SET bytes = bytes + ? WHERE chunk = ?"),
    setSequence: db.prepare("UPDATE runs SET sequence = ? WHERE number = ?"),
    dropRuns: db.prepare("DELETE FROM runs WHERE chunk = ?"),
    dropChunk: db.prepare("DELETE FROM chunks WHERE chunk = ?"),
  };
}

class SqliteWordTables implements WordTables {
  readonly #db: DatabaseSync;
  readonly #sql: ReturnType<typeof prepared>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = prepared(db);
  }

  indexedRun(runId: string): IndexedRun | undefined {
    const [number, chunk, sequence] = this.#sql.runOf.get(runId) ?? [];
    return number === undefined || chunk === undefined || sequence === undefined
      ? undefined
      : { number, chunk, sequence };
  }

  add(run: NewIndexedRun, read: (after: number) => NewWords): boolean {
    return this.#inTransaction(() => {
      const { number, chunk, sequence: after } = this.indexedRun(run.id) ?? this.#newRun(run);
      const { records, through, more } = read(after);
      const insert = this.#db.prepare(`INSERT INTO ${tableOf(chunk)} (rowid, words) VALUES (?, ?)`);
      let bytes = 0;
      for (const { sequence, words } of records) {
        const text = [...words].map((word) => word.slice(0, maxWord)).join(" ");
        insert.run(number * recordsPerRun + sequence, text);
        bytes += text.length;
      }
      this.#sql.countBytes.run(bytes, chunk);
      this.#sql.setSequence.run(through, number);
      return more;
    });
  }

  async find(organizationIds: string[], phrases: string[][]): ReturnType<WordTables["find"]> {
    const query = queryOf(phrases);
    const found = new Map<number, number[]>();
    const searched = new Set<number>();
    let complete = true;
    for (const [chunk] of organizationIds.flatMap((id) => this.#sql.chunksOf.all(id))) {
      const ids = this.#matchesIn(chunk, query);
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
  }

  async forget(runId: string): Promise<void> {
    this.#inTransaction(() => {
      const found = this.indexedRun(runId);
      if (found) this.#drop(found.chunk);
    });
    const deadline = performance.now() + emptyTimeout;
    // The log has copies of the dropped pages.
    while (this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 0) {
      if (performance.now() > deadline) {
        throw new StoreUnavailable("deleted texts could not be removed from the search index: it is busy; retry");
      }
      await pause(emptyRetry);
    }
  }

  forgetBefore(time: number): void {
    const old = this.#sql.oldChunks.all(time);
    if (old.length > 0) this.#inTransaction(() => old.forEach(([chunk]) => this.#drop(chunk)));
  }

  close(): void {
    this.#db.close();
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      this.#db.exec("COMMIT");
      return value;
    } finally {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  #newRun({ id, organizationId, createdAt }: NewIndexedRun): IndexedRun {
    let chunk = this.#sql.openChunk.get(organizationId)?.[0];
    if (chunk === undefined) {
      chunk = Number(this.#sql.insertChunk.run(organizationId).lastInsertRowid);
      // The words are separated by spaces. Only whether a record has a word is stored.
      this.#db.exec(
        `CREATE VIRTUAL TABLE ${tableOf(chunk)} USING fts5 (words, content = '', detail = none, columnsize = 0, tokenize = 'ascii')`,
      );
    }
    this.#sql.countRun.run(createdAt, chunk);
    return { number: Number(this.#sql.insertRun.run(id, chunk).lastInsertRowid), chunk, sequence: 0 };
  }

  /** The records of a chunk that match. Undefined: it was dropped meanwhile. */
  #matchesIn(chunk: number, query: string): [id: number][] | undefined {
    const table = tableOf(chunk);
    const matching = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid LIMIT ${maxFound}`;
    this.#db.exec("BEGIN"); // another process can drop it
    try {
      return this.#sql.chunkOf.get(chunk) && tuples<[id: number]>(this.#db, matching).all(query);
    } finally {
      this.#db.exec("COMMIT");
    }
  }

  #drop(chunk: number): void {
    this.#db.exec(`DROP TABLE ${tableOf(chunk)}`);
    this.#sql.dropRuns.run(chunk);
    this.#sql.dropChunk.run(chunk);
  }
}

/** The query of FTS5 for all words. The last one of a phrase may only begin so. */
function queryOf(phrases: string[][]): string {
  const words = phrases.flatMap((phrase) =>
    phrase.map((word, index) => {
      const isStart = word.length > maxWord || (index === phrase.length - 1 && canBegin(word));
      return `"${word.slice(0, maxWord)}"${isStart ? "*" : ""}`;
    }),
  );
  return words.join(" AND ");
}

function tableOf(chunk: number): string {
  return `words_${chunk}`;
}
