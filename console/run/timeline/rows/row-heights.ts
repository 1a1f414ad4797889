/** A row of a list. The key stays with the row when others are inserted or removed. */
export interface Keyed {
  key: string;
}

/** Where a jump puts a row: at the top, or on screen by the shortest way. */
export type Align = "start" | "auto";

/** The rows on screen, by index. */
export interface Visible {
  first: number;
  last: number;
}

/**
 * Heights and offsets of the rows of a list, in pixels. A row has its estimated height until it is measured, and keeps its
 * measured height by its key. Places are distances from the top of the first row.
 */
export class RowHeights<Row extends Keyed> {
  readonly #estimate: (row: Row) => number;
  readonly #measured = new Map<string, number>();
  #rows: readonly Row[] = [];
  #keys: string[] = [];
  #heights: number[] = [];
  /** Sums of the heights before each row. Those up to index `#valid` are right, the others are added up when needed. */
  #offsets = [0];
  #valid = 0;

  constructor(estimate: (row: Row) => number) {
    this.#estimate = estimate;
  }

  get count(): number {
    return this.#keys.length;
  }

  /** Height of all rows. */
  get total(): number {
    return this.offset(this.count);
  }

  /** Place of the top of a row. That of index `count` is the end. */
  offset(index: number): number {
    for (; this.#valid < index; this.#valid++) {
      this.#offsets[this.#valid + 1] = (this.#offsets[this.#valid] ?? 0) + (this.#heights[this.#valid] ?? 0);
    }
    return this.#offsets[index] ?? 0;
  }

  /** The row that a place is in, or the nearest. */
  indexAt(place: number): number {
    this.offset(this.count);
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#offsets[middle + 1] ?? Infinity) <= place) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, Math.min(low, this.count - 1));
  }

  /** The rows between `top` and `top + height`. `undefined`: there are none. */
  visible(top: number, height: number): Visible | undefined {
    if (this.count === 0 || height <= 0) return undefined;
    return { first: this.indexAt(top), last: Math.max(this.indexAt(top), this.indexAt(top + height - 1)) };
  }

  /**
   * Takes over the rows. The same array as before may only have grown: then this takes time in proportion to the new rows.
   * Returns the place at which the row at `top`, or the next that is still there, continues to be where it was on screen.
   */
  update(rows: readonly Row[], top: number): number {
    let kept = rows === this.#rows ? this.count : 0;
    while (kept < rows.length && rows[kept]?.key === this.#keys[kept]) kept++;
    this.#rows = rows;
    const anchor = this.indexAt(top);
    const anchors = top > 0 && anchor >= kept ? this.#keys.slice(anchor) : [];
    const into = top - this.offset(anchor);

    this.#keys.length = kept;
    this.#heights.length = kept;
    this.#valid = Math.min(this.#valid, kept);
    for (let index = kept; index < rows.length; index++) {
      const row = rows[index];
      if (row === undefined) break;
      this.#keys.push(row.key);
      this.#heights.push(this.#measured.get(row.key) ?? this.#estimate(row));
    }
    if (anchors.length === 0) return top;
    const indexes = new Map(this.#keys.map((key, index) => [key, index]));
    const survivor = anchors.find((key) => indexes.has(key));
    if (survivor === undefined) return Math.min(top, this.total);
    return this.offset(indexes.get(survivor) ?? 0) + (survivor === anchors[0] ? into : 0);
  }

  /**
   * Stores the measured heights of consecutive rows. Returns by how much `top` must move so that the rows that begin at or
   * below it stay where they are on screen.
   */
  measure(first: number, heights: readonly number[], top: number): number {
    let shift = 0;
    // From the last to the first: a change moves only the rows after it.
    for (let index = first + heights.length - 1; index >= first; index--) {
      const height = heights[index - first];
      const before = this.#heights[index];
      const key = this.#keys[index];
      if (height === undefined || before === undefined || key === undefined) continue;
      this.#measured.set(key, height);
      if (height === before) continue;
      if (this.offset(index) < top) shift += height - before;
      this.#heights[index] = height;
      this.#valid = Math.min(this.#valid, index);
    }
    return shift;
  }

  /** The place to scroll to for a row, from `top` and with `height` pixels on screen. */
  placeOf(index: number, align: Align, top: number, height: number): number {
    const start = this.offset(index);
    const end = this.offset(index + 1);
    if (align === "start" || start < top) return start;
    return end > top + height ? Math.min(start, end - height) : top;
  }
}
