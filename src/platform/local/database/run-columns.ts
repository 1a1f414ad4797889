import type { DatabaseSync } from "node:sqlite";
import { allFields, type Kind, type NamedField, optionalFields, requiredFields, fields } from "../../../runs/fields.ts";
import { fieldsOf as fieldsOfImport } from "../../../runs/imported.ts";
import type { Run } from "../../../runs/run-types.ts";
import { encodeStarter, starterIn } from "./starter.ts";

// The columns of a run, as `src/runs/fields.ts` describes them. What depends on it is built once, when this module is loaded.

/** What a column holds. */
type Column = string | number | null;

/** `encode` and `decode` absent: the column holds the value itself. `absent`: without a value. */
interface Codec {
  type: string;
  absent?: Column;
  encode?: (value: never) => Column;
  decode?: (column: never) => unknown;
}

const json = {
  type: "TEXT",
  encode: (value: object) => JSON.stringify(value),
  decode: (column: string): unknown => JSON.parse(column),
};
const codecs: Record<Kind, Codec> = {
  text: { type: "TEXT" },
  number: { type: "INTEGER" },
  count: { type: "INTEGER NOT NULL DEFAULT 0", absent: 0, decode: (column: number) => column || undefined },
  flag: { type: "INTEGER", encode: Number, decode: (column: number) => column === 1 },
  map: json,
  json,
  usage: json,
  names: json,
  origin: json,
  starter: { type: "TEXT", encode: encodeStarter, decode: (column: string) => starterIn(column).startedBy },
};

const columns = [...requiredFields.map((name) => ({ name, ...fields[name] })), ...optionalFields].map(
  ({ name, column, kind }) => {
    const { absent = null, encode, decode } = codecs[kind];
    return { name, column, absent, encode, decode };
  },
);

/** The columns of a run, for a query. */
export const runColumns = columns.map(({ column }) => column).join(", ");

/** `seq` and the values of `runColumns`: those of the required fields, and then the others. */
export type RunRow = readonly [
  seq: number,
  id: string,
  agentId: string,
  organizationId: string,
  name: string,
  status: Run["status"],
  turn: number,
  createdAt: number,
  updatedAt: number,
  sequence: number,
  ...others: Column[],
];

const optional = columns.slice(requiredFields.length).map(({ name, decode }, index) => ({
  name,
  index: 1 + requiredFields.length + index,
  decode: decode as ((column: Column) => unknown) | undefined,
}));

export function toRun(row: RunRow): Run {
  // By index: patterns of arrays call an iterator, which takes 0.4 µs, and 1.6 µs until V8 has optimized the function.
  const { 1: id, 2: agentId, 3: organizationId, 4: name, 5: status, 6: turn, 7: createdAt, 8: updatedAt } = row;
  const run: Run = { id, agentId, organizationId, name, status, turn, createdAt, updatedAt, sequence: row[9] };
  const others = run as object as Record<string, unknown>;
  for (const { name: field, index, decode } of optional) {
    const column = row[index];
    if (column === null || column === undefined) continue;
    const value = decode ? decode(column) : column;
    if (value !== undefined) others[field] = value;
  }
  return run.imported ? Object.assign(run, fieldsOfImport(run.imported)) : run;
}

/** The values of `runColumns` for a new row. */
export function valuesOf(run: Run): Column[] {
  return columns.map(({ name, absent, encode }) => {
    const value = run[name];
    if (value === undefined) return absent;
    return encode ? encode(value as never) : (value as Column);
  });
}

/** Placeholders for `valuesOf`. */
export const runPlaceholders = columns.map(() => "?").join(", ");

/** Assignments that erase a run. */
export const erasingColumns = allFields
  .flatMap(({ column, left }) => {
    if (left === "all") return [];
    if (left === "origin") return [`${column} = json_remove(${column}, '$.run', '$.missing')`];
    return [`${column} = ${left === "nothing" ? "NULL" : left === "" ? "''" : left}`];
  })
  .join(", ");

function definitionOf({ name, column, kind }: NamedField): string {
  const isRequired = kind !== "count" && requiredFields.some((required) => required === name);
  return `${column} ${codecs[kind].type}${isRequired ? " NOT NULL" : ""}`;
}

/** The columns of a new table. */
export const columnDefinitions = allFields.map(definitionOf).join(", ");

/** The version of the database that brought the newest column. */
export const newestColumn = Math.max(...allFields.map(({ since = 0 }) => since));

/** Adds the columns that a table of an earlier version lacks. */
export function addMissingColumns(db: DatabaseSync): void {
  const known = new Set(
    db
      .prepare("PRAGMA table_info(runs)")
      .all()
      .map(({ name }) => name),
  );
  for (const field of allFields) {
    if (!known.has(field.column)) db.exec(`ALTER TABLE runs ADD COLUMN ${definitionOf(field)}`);
  }
}
