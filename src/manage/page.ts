import { manageError } from "./manage-errors.ts";

/** A page of a list. `next`: the cursor of the next page. Null: there is none. */
export interface Page<Item> {
  data: Item[];
  next: string | null;
}

/** A page of a list that is in memory, by `keyOf`, which no two items share. `cursor`: `next` of the page before. */
export function pageOf<Item>(
  items: Item[],
  keyOf: (item: Item) => string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Page<Item> {
  const after = cursor === undefined ? undefined : decode(cursor);
  const sorted = items
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => after === undefined || key > after)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const last = sorted.length > limit ? sorted[limit - 1] : undefined;
  return { data: sorted.slice(0, limit).map(({ item }) => item), next: last ? encode(last.key) : null };
}

/** The key of a list by name. */
export function byName({ name, id }: { name: string; id: string }): string {
  return `${name.toLowerCase()} ${id}`;
}

const encode = (key: string): string => Buffer.from(key).toString("base64url");

function decode(cursor: string): string {
  const key = Buffer.from(cursor, "base64url").toString();
  if (encode(key) === cursor) return key;
  throw manageError("invalid_argument", "cursor is not valid; pass `next` of the page before, or leave it out");
}
