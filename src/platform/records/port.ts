import type { RunPlace } from "../../runs/run-types.ts";

/** The values of a record's key, such as its id. */
export type Key = (string | number)[];

/** An item of DynamoDB, or some of its attributes. */
export type Item = Record<string, unknown>;

/** The attributes of an item without its keys. */
export function fieldsOf({ pk: _pk, sk: _sk, gsi1pk: _list, gsi1sk: _place, ...fields }: Item): Item {
  return fields;
}

/** A kind of records: where each platform stores one. `port.ts` describes what both do with it. */
export interface Kind<T extends object> {
  keyOf(this: void, record: T): Key;
  /** SQLite: a table with the columns of the key, those of `columns`, each with a field's name, and `body`, which holds JSON. */
  row: {
    table: string;
    key: string[];
    columns?: Record<string, string>;
    /** What `body` holds. Default: the record. */
    body?(this: void, record: T): unknown;
    /** The record as JSON, as an expression of SQL. Default: `body`. */
    json?: string;
    /** Found rows stay in memory: see `SharedReads.kept`. */
    kept?: true;
  };
  item: {
    key(this: void, ...key: Key): { pk: string; sk: string };
    /** Further attributes: the keys of its lists. */
    lists?(this: void, record: T): Item;
    /** Items that list a new record at further places. `listed`: the key of the record. They are never changed. */
    listings?(this: void, record: T): Item[];
    /** The attributes of a record, and a record from attributes. Default: its fields. */
    attributes?(this: void, record: T): Item;
    record?(this: void, attributes: Item): T | undefined;
    /**
     * The record is a JSON text, because DynamoDB keeps no order of fields and accepts 32 levels. A large one is an object of
     * the first value of the key. The item expires with the runs of its time; a replacement keeps its expiry.
     */
    text?: true;
  };
}

/** A list of records, or of what it has of them. Its parameters are those of `sql`, `owners` and `query`. */
export interface List<T extends object, Found = T> {
  kind: Kind<T>;
  /** SQLite: what is found, as `body`. Of a page: with the columns `at` and `id`, before a place, which are its last parameters. */
  sql: string;
  /** SQLite: `id` and `bytes` of what is found. Then `sql` has ids as JSON for parameter, and long lists are read in pieces. */
  sizes?: string;
  /** SQLite: organization and agent. Then the list is read when it is their turn. */
  owners?: string;
  /** DynamoDB. Absent `index`: a partition, read consistently. `prefix`: of the sort keys. */
  query(this: void, ...of: (string | undefined)[]): { index?: "gsi1" | "gsi2"; pk: string; prefix?: string };
  newestFirst?: true;
  /** DynamoDB: the attributes that are read. Default: all. */
  attributes?: string[];
  /** What the list has of an item. Default: the record. */
  found?(this: void, item: Item): Found;
}

/** An attribute of an item, which permissions can be limited to. */
export interface Part<T extends object, Value> {
  kind: Kind<T>;
  attribute: string;
  of(this: void, record: T): Value;
}

/**
 * The write of a record, or the removal of one that exists. `before`: the revision of the one that it replaces, where 0 is one
 * without; `none`: it is new. Absent: no other writer has its key.
 */
export type Change =
  | { kind: Kind<object>; record: object; before?: number | "none" | undefined }
  | { kind: Kind<object>; removed: Key };

/** A change of a record. */
export function put<T extends object>(kind: Kind<T>, record: T, before?: number | "none"): Change {
  return { kind, record, before };
}

/** A place in a list of pages: time and id of a record. */
export type Place = Pick<RunPlace, "createdAt" | "id">;

/** `next`: where the next page begins. Absent: there is none. */
export interface Page<Found> {
  found: Found[];
  next?: Place;
}

/** A store of JSON with a revision. Its methods reject with `StoreUnavailable` when a retry can help. */
export interface Records {
  find<T extends object>(kind: Kind<T>, ...key: Key): Promise<T | undefined>;
  findPart<T extends object, Value>(part: Part<T, Value>, ...key: Key): Promise<Value | undefined>;
  /**
   * Makes all changes or, where one of them expects another record, none: false. More than 50 changes are creates: on AWS, they are
   * several writes, of which the last one has the first 50.
   */
  commit(changes: Change[]): Promise<boolean>;
  /** Sets `lastUsedAt` of a record unless it is `before` or later. Changes nothing else. */
  touch(kind: Kind<object>, key: Key, at: number, before: number): Promise<void>;
  list<T extends object, Found>(list: List<T, Found>, ...of: (string | undefined)[]): Promise<Found[]>;
  /** The first of a list. */
  first<T extends object, Found>(list: List<T, Found>, of: string[], limit: number): Promise<Found[]>;
  /** Those after a place, newest first. */
  page<T extends object, Found>(
    list: List<T, Found>,
    of: string[],
    page: { after?: Place | undefined; limit: number },
  ): Promise<Page<Found>>;
  /** Removes the records of a list, whose parameters are the first values of their keys. */
  removeAll(list: List<object, unknown>, ...of: string[]): Promise<void>;
}
