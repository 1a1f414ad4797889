import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A prepared query. `Row`: what its columns hold, which node:sqlite does not know. */
export interface Query<Row> {
  get: (...values: SQLInputValue[]) => Row | undefined;
  all: (...values: SQLInputValue[]) => Row[];
  iterate: (...values: SQLInputValue[]) => Iterable<Row>;
}

/** Prepares a query whose rows are objects with the columns' names. */
export function rows<Row extends object>(db: DatabaseSync, sql: string): Query<Row> {
  return db.prepare(sql) as object as Query<Row>;
}

/** Prepares a query whose rows are arrays, in the order of its columns. Objects take 1.5 to 1.7 times as long to read. */
export function tuples<Row extends readonly unknown[]>(db: DatabaseSync, sql: string): Query<Row> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as object as Query<Row>;
}
