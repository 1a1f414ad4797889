import { isNumber, isResultObject, jsonOf, type ResultObject, type ResultValue } from "./result-value.ts";

/** A line of the tree. */
export interface TreeRow {
  /** Levels above it. */
  depth: number;
  name: string;
  /** A single value as JSON. Absent: the row has others below it. */
  value?: { text: string; kind: "text" | "number" | "other" };
  /** What is below: `array, 3`. */
  note?: string;
}

/** An array of objects. */
export interface ResultTable {
  /** Where it is: `invoices`, `buyer.addresses`. */
  place: string;
  columns: TableColumn[];
  /** Fields that have no column. */
  hidden: number;
  rows: ResultObject[];
}

interface TableColumn {
  name: string;
  /** All of its values are numbers. */
  isNumber: boolean;
}

export interface ResultTree {
  rows: TreeRow[];
  /** There are more rows than were asked for. */
  more: boolean;
  tables: ResultTable[];
}

/** Columns of a table. Wider ones are read as JSON. */
const maxColumns = 24;

/** The rows of a result as a tree, at most `most`. `asTables`: arrays of objects become tables instead of rows. */
export function resultTree(value: ResultValue, most: number, asTables: boolean): ResultTree {
  const tree: ResultTree = { rows: [], more: false, tables: [] };

  function addAll(of: ResultObject | ResultValue[], depth: number, place: string[]): void {
    // Not `Object.entries` of an array: it has an entry for each of a million values.
    const names = Array.isArray(of) ? of.keys() : Object.keys(of);
    for (const name of names) {
      if (tree.rows.length >= most) {
        tree.more = true;
        return;
      }
      addOne(String(name), (of as ResultObject)[name] ?? null, depth, [...place, String(name)]);
    }
  }

  function addOne(name: string, each: ResultValue, depth: number, place: string[]): void {
    if (Array.isArray(each)) {
      const isTable = asTables && isObjectList(each);
      if (isTable) tree.tables.push(tableOf(place.join("."), each));
      const size = each.length.toLocaleString("en");
      const note = isTable ? `array of objects, ${size}, as a table below` : `array, ${size}`;
      tree.rows.push({ depth, name, note });
      if (!isTable) addAll(each, depth + 1, place);
    } else if (isResultObject(each)) {
      tree.rows.push({ depth, name, note: `object, ${Object.keys(each).length.toLocaleString("en")}` });
      addAll(each, depth + 1, place);
    } else {
      const kind = isNumber(each) ? "number" : typeof each === "string" ? "text" : "other";
      tree.rows.push({ depth, name, value: { text: jsonOf(each), kind } });
    }
  }

  if (Array.isArray(value) || isResultObject(value)) addAll(value, 0, []);
  else addOne("", value, 0, []);
  return tree;
}

function isObjectList(value: ResultValue[]): value is ResultObject[] {
  return value.length > 0 && value.every(isResultObject);
}

function tableOf(place: string, rows: ResultObject[]): ResultTable {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.slice(0, maxColumns).map((name) => {
    const known = rows.flatMap((row) => (Object.hasOwn(row, name) && row[name] !== null ? [row[name]] : []));
    return { name, isNumber: known.length > 0 && known.every((each) => isNumber(each)) };
  });
  return { place, columns, hidden: names.length - columns.length, rows };
}

/** A cell: texts as they are, others as JSON. Undefined: the row has no such field. */
export function cellOf(row: ResultObject, name: string): string | undefined {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : jsonOf(value);
}
