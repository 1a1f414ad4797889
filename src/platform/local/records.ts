import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { tickByTick } from "../../async/tick-by-tick.ts";
import type { Change, Key, Kind, List, Records } from "../records/port.ts";
import type { Database } from "./database/sqlite.ts";

/** Bytes of the records that are read before other requests are handled: about a millisecond. One has up to 350 KB. */
const bytesAtOnce = 512 * 1024;

/** Returns a function that inserts a record, as part of the transaction in progress. */
export function inserter<T extends object>(db: DatabaseSync, kind: Kind<T>): (record: T) => void {
  const { table, key, columns = {} } = kind.row;
  const names = [...Object.keys(columns), "body", ...key];
  const insert = db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
  return (record) => void insert.run(...valuesOf(kind, record));
}

/** The values of a row: its columns, the body and the key. */
function valuesOf<T extends object>({ row: { columns = {}, body }, keyOf }: Kind<T>, record: T): SQLInputValue[] {
  const fields = record as Record<string, SQLInputValue | undefined>;
  const values = Object.values(columns).map((field) => fields[field] ?? null);
  return [...values, JSON.stringify(body?.(record) ?? record), ...keyOf(record)];
}

interface Statements<T extends object> {
  find: (key: Key) => T | undefined;
  /** As `revision`: that of a record, 0 without one. */
  revision: StatementSync;
  insert: (record: T) => void;
  update: StatementSync;
  remove: StatementSync;
}

function statementsOf<T extends object>({ db, read, kept }: Database, kind: Kind<T>): Statements<T> {
  const { table, key, columns = {}, json = "body", kept: isKept } = kind.row;
  const where = key.map((name) => `${name} = ?`).join(" AND ");
  const select = db.prepare(`SELECT ${json} AS body FROM ${table} WHERE ${where}`);
  const load = (values: Key): T | undefined => {
    const row = select.get(...values);
    return row && bodyOf<T>(row);
  };
  const one = kept((id) => load([id]));
  const oneOf = kept((id) => load(JSON.parse(id) as Key));
  const keptRow = (values: Key): T | undefined =>
    values.length === 1 ? one(String(values[0])) : oneOf(JSON.stringify(values));
  const set = [...Object.keys(columns), "body"].map((name) => `${name} = ?`).join(", ");
  return {
    find: isKept ? keptRow : (values) => read(() => load(values)),
    revision: db.prepare(`SELECT coalesce(body ->> 'revision', 0) AS revision FROM ${table} WHERE ${where}`),
    insert: inserter(db, kind),
    update: db.prepare(`UPDATE ${table} SET ${set} WHERE ${where}`),
    remove: db.prepare(`DELETE FROM ${table} WHERE ${where}`),
  };
}

/** Records as rows. */
export function localRecords(database: Database): Records {
  const { db, read, write } = database;
  const inTurn = tickByTick();
  const known = new Map<unknown, unknown>();
  const prepared = new Map<string, StatementSync>();

  function of<T extends object>(kind: Kind<T>): Statements<T> {
    const found = known.get(kind) as Statements<T> | undefined;
    if (found) return found;
    const statements = statementsOf(database, kind);
    known.set(kind, statements);
    return statements;
  }

  function statement(sql: string): StatementSync {
    const found = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, found);
    return found;
  }

  const rowsOf = (sql: string, values: SQLInputValue[]) => read(() => statement(sql).all(...values));

  /** Whether a change finds the record that it expects. */
  function isPossible(change: Change): boolean {
    const { revision } = of(change.kind);
    if ("removed" in change) return revision.get(...change.removed) !== undefined;
    const { kind, record, before } = change;
    if (before === undefined) return true;
    return (revision.get(...kind.keyOf(record))?.["revision"] ?? "none") === before;
  }

  function make(change: Change): void {
    const { insert, update, remove } = of(change.kind);
    if ("removed" in change) remove.run(...change.removed);
    else if (typeof change.before === "number") update.run(...valuesOf(change.kind, change.record));
    else insert(change.record);
  }

  async function list<T extends object, Found>(
    { sql, sizes, owners }: List<T, Found>,
    ...given: (string | undefined)[]
  ): Promise<Found[]> {
    const values = given.map((value) => value ?? null);
    const all = (with_: SQLInputValue[]) => rowsOf(sql, with_).map(bodyOf<Found>);
    if (owners) {
      const [row = {}] = rowsOf(owners, values);
      return inTurn(Object.values(row).map(String), () => all(values));
    }
    if (!sizes) return all(values);
    const [first = [], ...others] = piecesOf(rowsOf(sizes, values));
    if (others.length === 0) return all([JSON.stringify(first)]);
    const found: Found[] = [];
    for (const ids of [first, ...others]) {
      found.push(...(await inTurn([given[0] ?? ""], () => all([JSON.stringify(ids)]))));
    }
    return found;
  }

  return {
    find: async (kind, ...key) => of(kind).find(key),

    async findPart({ kind, of: partOf }, ...key) {
      const found = of(kind).find(key);
      return found && partOf(found);
    },

    commit: (changes) =>
      write(() => {
        const possible = changes.every(isPossible);
        if (possible) for (const change of changes) make(change);
        return possible;
      }),

    touch: ({ row: { table, key: names } }, key, at, before) =>
      write(() => {
        const where = names.map((name) => `${name} = ?`).join(" AND ");
        statement(
          `UPDATE ${table} SET body = json_set(body, '$.lastUsedAt', ?) WHERE ${where} AND coalesce(body ->> 'lastUsedAt', 0) < ?`,
        ).run(at, ...key, before);
      }),

    list,

    first: async ({ sql }, values, limit) => rowsOf(sql, [...values, limit]).map(bodyOf<never>),

    page: ({ sql }, values, { after: { createdAt, id } = { createdAt: Number.MAX_SAFE_INTEGER, id: "" }, limit }) =>
      inTurn([...values, ""], () => {
        const found = rowsOf(sql, [...values, createdAt, id, limit + 1]);
        const last = found.length > limit && found[limit - 1];
        const next = last && { createdAt: Number(last["at"]), id: String(last["id"]) };
        return { found: found.slice(0, limit).map(bodyOf<never>), ...(next && { next }) };
      }),

    async removeAll({ kind: { row } }, ...values) {
      const where = row.key.slice(0, values.length).map((name) => `${name} = ?`);
      await write(() => void statement(`DELETE FROM ${row.table} WHERE ${where.join(" AND ")}`).run(...values));
    },
  };
}

/** The ids of rows in pieces that are read at once. */
function piecesOf(sizes: Record<string, unknown>[]): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const { id, bytes } of sizes) {
    left -= Number(bytes);
    if (left < 0) {
      pieces.push([]);
      left = bytesAtOnce - Number(bytes);
    }
    pieces.at(-1)?.push(String(id));
  }
  return pieces;
}

function bodyOf<T>({ body }: Record<string, unknown>): T {
  return JSON.parse(String(body)) as T;
}
