import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../../src/platform/local/database/sqlite.ts";

interface Kept {
  name: string;
}

let database: Database;
let other: Database;
let loads: string[];
let find: (id: string) => Kept | undefined;

const put = (db: Database["db"], id: string, name: string): void =>
  void db.prepare("INSERT OR REPLACE INTO organizations VALUES (?, ?)").run(id, JSON.stringify({ name }));

beforeEach(() => {
  const file = join(mkdtempSync(join(tmpdir(), "kept-rows-")), "runs.sqlite");
  database = openDatabase(file);
  other = openDatabase(file);
  put(database.db, "a", "before");
  loads = [];
  const select = database.db.prepare("SELECT body FROM organizations WHERE id = ?");
  find = database.kept((id): Kept | undefined => {
    loads.push(id);
    const row = select.get(id);
    return row && (JSON.parse(String(row["body"])) as Kept);
  });
});

afterEach(() => {
  database.close();
  other.close();
});

test("a row is read once until it changes, and so is a row that does not exist", async () => {
  for (const id of ["a", "none", "a", "none"]) {
    find(id);
    await nextTick();
  }
  expect(loads).toEqual(["a", "none"]);
});

test("a change is seen by the next read", async () => {
  expect(find("a")).toEqual({ name: "before" });
  await database.write(() => put(database.db, "a", "after"));
  expect(find("a")).toEqual({ name: "after" });
  await database.write(() => database.db.exec("DELETE FROM organizations"));
  expect(find("a")).toBeUndefined();
});

test("a change of another process is seen 1 ms later", async () => {
  find("a");
  await nextTick();
  put(other.db, "a", "by another process");
  await sleep(2);
  expect(find("a")).toEqual({ name: "by another process" });
});

test("a change of another process is seen where it is announced, and in the next write", async () => {
  const announced: unknown[] = [];
  const watch = database.onOutsideWrite(() => announced.push(find("a")));
  find("a"); // a look
  await nextTick();
  put(other.db, "a", "second");
  watch();
  expect(announced).toEqual([{ name: "second" }]);
  put(other.db, "a", "third");
  await database.write(() => {});
  expect(find("a")).toEqual({ name: "third" });
});

test("what a write reads before it is rolled back is not kept", async () => {
  const failed = database.write(() => {
    put(database.db, "a", "rolled back");
    expect(find("a")).toEqual({ name: "rolled back" });
    throw new Error("rejected");
  });
  await expect(failed).rejects.toThrow("rejected");
  expect(find("a")).toEqual({ name: "before" });
});

test("a caller cannot change what the next one gets", () => {
  const found = find("a") as Kept;
  expect(() => (found.name = "changed")).toThrow(TypeError);
});

test("what is passed on is forgotten with the tick of the event loop", async () => {
  const values = database.passedOn<number>();
  values.set("a", 1);
  await Promise.resolve();
  expect(values.get("a")).toBe(1);
  await nextTick();
  expect(values.get("a")).toBeUndefined();
});

test("what is passed on is forgotten before the next write", async () => {
  const values = database.passedOn<number>();
  const first = database.write(() => {});
  const second = first.then(() => {
    const seen = database.write(() => values.get("a"));
    values.set("a", 1);
    return seen;
  });
  expect(await second).toBeUndefined();
});
