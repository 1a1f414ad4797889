import { expect, test } from "vitest";
import { RowHeights } from "../../../console/run/timeline/rows/row-heights.ts";
import fc from "../../support/properties.ts";

interface Row {
  key: string;
}

const estimateOf = ({ key }: Row): number => 20 + Number(key) * 3;
const rowsOf = (...keys: number[]): Row[] => keys.map((key) => ({ key: String(key) }));

/** A list with its rows, and what each height has to be. */
class Checked {
  readonly heights = new RowHeights<Row>(estimateOf);
  readonly measured = new Map<string, number>();
  rows: Row[] = [];

  update(rows: Row[], top = 0): number {
    this.rows = rows;
    return this.heights.update(rows, top);
  }

  measure(first: number, heights: number[], top = 0): number {
    for (const [index, height] of heights.entries()) {
      const row = this.rows[first + index];
      if (row) this.measured.set(row.key, height);
    }
    return this.heights.measure(first, heights, top);
  }

  /** What the list says of each row: its place, and which row is at its first and last pixel. Then the total. */
  said(): number[] {
    const { heights } = this;
    const places = this.rows.flatMap((_, index) => {
      const from = heights.offset(index);
      return [from, heights.indexAt(from), heights.indexAt(heights.offset(index + 1) - 1)];
    });
    return [...places, heights.total, heights.count];
  }

  /** The same, added up from what was measured. */
  expected(): number[] {
    let total = 0;
    const places = this.rows.flatMap((row, index) => {
      const from = total;
      total += this.measured.get(row.key) ?? estimateOf(row);
      return [from, index, index];
    });
    return [...places, total, this.rows.length];
  }
}

const keys = fc.uniqueArray(fc.nat(30), { maxLength: 12 });
const heightsList = fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 6 });
const action = fc.oneof(
  fc.record({ do: fc.constant("replace" as const), keys }),
  fc.record({ do: fc.constant("append" as const), keys }),
  fc.record({ do: fc.constant("measure" as const), first: fc.nat(12), heights: heightsList }),
  fc.record({ do: fc.constant("look up" as const), place: fc.integer({ min: -50, max: 2_000 }) }),
);

test("offsets agree with the heights after any measuring, inserting, removing and appending", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
      const list = new Checked();
      for (const each of actions) {
        if (each.do === "replace") list.update(rowsOf(...each.keys));
        else if (each.do === "append") {
          list.rows.push(...rowsOf(...each.keys).filter(({ key }) => !list.rows.some((row) => row.key === key)));
          list.update(list.rows);
        } else if (each.do === "measure") list.measure(each.first, each.heights);
        else list.heights.indexAt(each.place);
      }
      expect(list.said()).toEqual(list.expected());
    }),
  );
});

test("the rows that begin on screen stay where they are when rows are measured", () => {
  fc.assert(
    fc.property(keys, fc.nat(12), heightsList, fc.nat(600), (given, first, heights, top) => {
      const list = new Checked();
      list.update(rowsOf(...given));
      const onScreen = list.rows.flatMap((_, index) => (list.heights.offset(index) >= top ? [index] : []));
      const before = onScreen.slice(0, 1).map((index) => list.heights.offset(index) - top);
      const moved = top + list.measure(first, heights, top);
      expect(onScreen.slice(0, 1).map((index) => list.heights.offset(index) - moved)).toEqual(before);
    }),
  );
});

test("the row at the top stays there when rows are inserted and removed", () => {
  fc.assert(
    fc.property(keys, keys, fc.integer({ min: 1, max: 600 }), (before, after, place) => {
      const list = new Checked();
      list.update(rowsOf(...before));
      const top = Math.min(place, list.heights.total - 1);
      const anchor = list.heights.indexAt(top);
      const into = top - list.heights.offset(anchor);
      const index = after.indexOf(before[anchor] ?? -1);
      fc.pre(top > 0 && index >= 0);
      const moved = list.update(rowsOf(...after), top);
      expect(moved).toBe(list.heights.offset(index) + into);
    }),
  );
});

test("a filter that hides the row at the top goes to the next one that is left", () => {
  const list = new Checked();
  list.update(rowsOf(1, 2, 3, 4, 5));
  const top = list.heights.offset(2) + 7;
  expect(list.update(rowsOf(1, 5), top)).toBe(list.heights.offset(1));
  expect(list.update(rowsOf(1, 2, 3, 4, 5), 0)).toBe(0);
  expect(list.update([], 300)).toBe(0);
});

test("appending looks at the new rows only", () => {
  const list = new RowHeights<Row>(estimateOf);
  let read = 0;
  const counted = (key: number): Row => ({
    get key() {
      read++;
      return String(key);
    },
  });
  const rows = Array.from({ length: 5_000 }, (_, index) => counted(index));
  list.update(rows, 0);
  read = 0;
  rows.push(counted(5_000));
  list.update(rows, 0);
  expect(list.count).toBe(5_001);
  expect(read).toBeLessThan(10);
});

test("visible rows and jumps", () => {
  const list = new RowHeights<Row>(() => 50);
  expect(list.visible(0, 100)).toBeUndefined();
  list.update(rowsOf(...Array.from({ length: 100 }, (_, key) => key)), 0);
  expect(list.visible(0, 0)).toBeUndefined();
  expect(list.visible(0, 100)).toEqual({ first: 0, last: 1 });
  expect(list.visible(175, 100)).toEqual({ first: 3, last: 5 });
  expect(list.visible(9_000, 100)).toEqual({ first: 99, last: 99 });

  expect(list.placeOf(10, "start", 0, 220)).toBe(500);
  expect(list.placeOf(10, "auto", 400, 220)).toBe(400); // on screen
  expect(list.placeOf(10, "auto", 100, 220)).toBe(550 - 220); // from above: at the bottom
  expect(list.placeOf(10, "auto", 520, 220)).toBe(500); // partly above: at the top
  expect(list.placeOf(10, "auto", 0, 30)).toBe(500); // higher than the screen: its top
});
