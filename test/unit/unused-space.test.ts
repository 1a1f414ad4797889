import { DatabaseSync } from "node:sqlite";
import { mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { remainsIn } from "../../src/platform/local/database/unused-space.ts";

const pageBytes = 4_096;

const textOf = (key: number): string => `text ${key} `.repeat(key % 50);

/** The pages of a database in which rows were inserted in another order than that of their keys, then deleted. */
function pagesAfter(deletions: string): Buffer[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), "unused-"));
  const file = join(folder.path, "a.sqlite");
  {
    using db = new DatabaseSync(file);
    db.exec("PRAGMA secure_delete = OFF; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) WITHOUT ROWID; BEGIN");
    const insert = db.prepare("INSERT INTO t VALUES (?, ?)");
    for (let n = 0; n < 500; n++) insert.run((n * 193) % 500, textOf((n * 193) % 500));
    db.exec(`${deletions}; COMMIT`);
  }
  const bytes = readFileSync(file);
  return Array.from({ length: bytes.length / pageBytes }, (_, index) =>
    bytes.subarray(index * pageBytes, (index + 1) * pageBytes),
  );
}

test("the remains of pages are outside of their rows: overwritten, the database is the same without them", () => {
  const pages = pagesAfter("DELETE FROM t WHERE a % 2");
  const found = pages.flatMap((page, index) =>
    remainsIn(page, index + 1).map(({ start, end }) => ({ page, start, end })),
  );
  expect(found.length).toBeGreaterThan(10);
  for (const { page, start, end } of found) page.fill(0, start, end);
  expect(pages.flatMap((page, index) => remainsIn(page, index + 1))).toEqual([]);
  using folder = mkdtempDisposableSync(join(tmpdir(), "unused-"));
  const file = join(folder.path, "b.sqlite");
  writeFileSync(file, Buffer.concat(pages));
  using db = new DatabaseSync(file);
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  const rows = db.prepare("SELECT a, b FROM t").all() as { a: number; b: string }[];
  expect(rows).toHaveLength(250);
  for (const { a, b } of rows) expect(b).toBe(textOf(a));
});

test("a page that is no b-tree page has no remains", () => {
  const page = Buffer.alloc(pageBytes, 0xff);
  for (const first of [0, 1, 3, 6, 14, 255]) {
    page[0] = first;
    expect(remainsIn(page, 7)).toEqual([]);
  }
  page[0] = 13; // its header makes no sense
  expect(remainsIn(page, 7)).toEqual([]);
});
