import type { Item } from "./expressions.ts";

/** The items of a table by their keys. An index finds the items with a given value of an attribute without a scan. */
export class TableItems extends Map<string, Item> {
  readonly #indexes = new Map<string, Map<string | undefined, Set<string>>>();

  override set(key: string, item: Item): this {
    this.delete(key);
    super.set(key, item);
    for (const [attribute, index] of this.#indexes) place(index, textOf(item[attribute]), key);
    return this;
  }

  override delete(key: string): boolean {
    const item = this.get(key);
    if (item) for (const [attribute, index] of this.#indexes) index.get(textOf(item[attribute]))?.delete(key);
    return super.delete(key);
  }

  /** The items whose attribute is this text. */
  with(attribute: string, value: string): Item[] {
    let index = this.#indexes.get(attribute);
    if (!index) {
      this.#indexes.set(attribute, (index = new Map()));
      for (const [key, item] of this) place(index, textOf(item[attribute]), key);
    }
    return [...(index.get(value) ?? [])].map((key) => this.get(key)).filter((item) => item !== undefined);
  }
}

function place(index: Map<string | undefined, Set<string>>, value: string | undefined, key: string): void {
  const keys = index.get(value) ?? new Set();
  index.set(value, keys.add(key));
}

function textOf(attribute: Item[string] | undefined): string | undefined {
  return (attribute as { S?: string } | undefined)?.S;
}
