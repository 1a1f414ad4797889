import { listIndex, organizationIndex, runningIndex } from "../../../src/platform/aws/dynamodb/table.ts";
import type { Attribute, Item } from "./expressions.ts";
import type { TableResponse } from "./table.ts";

/** Units of one request to a table on demand. */
export interface Units {
  read: number;
  write: number;
}

type Write = { Key?: Item; Item?: Item };
type Input = Write & {
  RequestItems?: Record<string, { ConsistentRead?: boolean }>;
  TransactItems?: Record<string, Write>[];
  ConsistentRead?: boolean;
};

/**
 * Performs a request and computes its units from the items, as AWS documents them (amazondynamodb/latest/developerguide/
 * read-write-operations.html): a write has one for each KB, the larger of both versions; a transaction twice as many; an index one
 * for each entry that changes, and two if its key changes. A read has one for 4 KB, half of it if it is eventually consistent.
 */
export function performMeasured(
  table: { items: Map<string, Item>; perform: (operation: string, input: never) => TableResponse },
  operation: string,
  given: Record<string, unknown>,
): { response: TableResponse; units: Units } {
  const input = given as Input;
  const isTransaction = operation === "TransactWriteItems";
  const entries = isTransaction ? (input.TransactItems ?? []).map((each) => Object.values(each)[0] ?? {}) : [input];
  const keys = /^(Put|Update|Delete|Transact)/.test(operation)
    ? entries.map(({ Key, Item }) => keyOf(Key ?? Item))
    : [];
  const before = keys.map((key) => table.items.get(key));
  const response = table.perform(operation, given as never);
  const writes = keys.map((key, index) => {
    const after = table.items.get(key);
    const size = Math.max(sizeOf(before[index]), sizeOf(after));
    return units(size, 1_024) * (isTransaction ? 2 : 1) + indexUnits(before[index], after);
  });
  const write = writes.reduce((sum, each) => sum + each, 0);
  return { response, units: { write, read: readUnits(operation, input, response.body) } };
}

function readUnits(operation: string, { ConsistentRead = false, RequestItems = {} }: Input, body: object): number {
  const { Item, Items = [], Responses } = body as { Item?: Item; Items?: Item[]; Responses?: Record<string, Item[]> };
  const each = ConsistentRead ? 1 : 0.5;
  if (operation === "GetItem") return units(sizeOf(Item), 4_096) * each;
  if (operation === "BatchGetItem") {
    const found = Object.values(Responses ?? {}).flat();
    const [of] = Object.values(RequestItems);
    return found.reduce((sum, item) => sum + units(sizeOf(item), 4_096) * (of?.ConsistentRead ? 1 : 0.5), 0);
  }
  if (operation !== "Query") return 0;
  const read = Items.reduce((sum, item) => sum + sizeOf(item), 0);
  return units(read, 4_096) * each;
}

const indexes = [
  { ...listIndex, names: undefined },
  { ...runningIndex, names: runningIndex.nonKeyAttributes },
  { ...organizationIndex, names: [] },
];

function indexUnits(before: Item | undefined, after: Item | undefined): number {
  return indexes.reduce((sum, index) => {
    const [old, now] = [entryOf(before, index), entryOf(after, index)];
    if (old === undefined && now === undefined) return sum;
    const size = Math.max(sizeOf(old), sizeOf(now));
    if (old === undefined || now === undefined) return sum + units(size, 1_024);
    if (JSON.stringify(old) === JSON.stringify(now)) return sum;
    const { partitionKey, sortKey } = index;
    const isMoved = [partitionKey, sortKey].some((name) => textOf(old[name]) !== textOf(now[name]));
    return sum + units(size, 1_024) * (isMoved ? 2 : 1);
  }, 0);
}

/** What an index has of an item. Undefined: nothing. */
function entryOf(
  item: Item | undefined,
  { partitionKey, sortKey, names }: { partitionKey: string; sortKey: string; names: readonly string[] | undefined },
): Item | undefined {
  if (item?.[partitionKey] === undefined || item[sortKey] === undefined) return undefined;
  if (names === undefined) return item;
  const kept = new Set(["pk", "sk", partitionKey, sortKey, ...names]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => kept.has(name)));
}

function units(bytes: number, each: number): number {
  return Math.max(1, Math.ceil(bytes / each));
}

/** Bytes of the names and values. Numbers and booleans count less on AWS; lists and maps 3 bytes more. */
function sizeOf(item: Item | undefined): number {
  return Object.entries(item ?? {}).reduce((sum, [name, value]) => sum + name.length + valueSize(value), 0);
}

function valueSize(attribute: Attribute): number {
  const [value] = Object.values(attribute);
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + valueSize(each as Attribute), 3);
  if (typeof value === "object" && value !== null) return 3 + sizeOf(value as Item);
  return 1;
}

function keyOf(item: Item | undefined): string {
  return `${textOf(item?.["pk"])} ${textOf(item?.["sk"])}`;
}

function textOf(attribute: Attribute | undefined): string {
  return String((attribute as { S?: string } | undefined)?.S);
}
