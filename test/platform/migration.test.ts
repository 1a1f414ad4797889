import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openLocalPlatform } from "../../src/platform/local/index.ts";

/** A data directory whose database has this version. */
function withVersion(version: number): { dataDir: string; [Symbol.dispose]: () => void } {
  const dataDir = mkdtempSync(join(tmpdir(), "migration-"));
  const db = new DatabaseSync(join(dataDir, "runs.sqlite"));
  db.exec(`CREATE TABLE runs (id TEXT); PRAGMA user_version = ${version}`);
  db.close();
  return { dataDir, [Symbol.dispose]: () => rmSync(dataDir, { recursive: true }) };
}

test.each([1, 13])("a database of version %i, before 0.2.0, is refused with what to do, and unchanged", (version) => {
  using old = withVersion(version);
  expect(() => openLocalPlatform(old)).toThrow(
    `was written by a version of this service before 0.2.0 (schema ${version}; this version upgrades from 14): ` +
      "start release 0.2.0 with this --data-dir once, which upgrades it, or use another --data-dir",
  );
  const db = new DatabaseSync(join(old.dataDir, "runs.sqlite"));
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: version });
  db.close();
});

test("a database of a later version is refused", () => {
  using later = withVersion(9_999);
  expect(() => openLocalPlatform(later)).toThrow(/was written by a newer version of this service \(schema 9999/);
});
