import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { upgradeNotice } from "../../bin/local/upgrade-notice.ts";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import { created, onTurn } from "./run-fixtures.ts";
import { events6 } from "./schema-6.ts";

let dataDir: string;
let file: string;
let copy: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "upgrade-copy-"));
  file = join(dataDir, "runs.sqlite");
  copy = `${file}.schema-6`;
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

test("an upgrade keeps a copy, with which the version before continues", async () => {
  const run = await version6();
  expect(upgradeNotice(dataDir)).toBeUndefined();

  const after = openLocalPlatform({ dataDir });
  expect(await after.runs.change({ ...onTurn(run), model: "since then" })).toBe(true);
  after.close();
  expect(upgradeNotice(dataDir)).toContain(copy);
  expect(statSync(copy).mode & 0o777).toBe(0o600);

  renameSync(copy, file); // as the runbook says
  for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  const old = new DatabaseSync(file);
  expect(old.prepare("PRAGMA user_version").get()).toEqual({ user_version: 6 });
  expect(old.prepare("SELECT id, model FROM runs").all()).toEqual([{ id: run.id, model: null }]);
  expect(old.prepare("SELECT sequence, text FROM messages").all()).toEqual([expect.objectContaining({ sequence: 1 })]);
  old.close();

  const again = openLocalPlatform({ dataDir });
  expect((await again.runs.read(run.id))?.run).toEqual(run);
  again.close();
  expect(existsSync(copy)).toBe(true);
});

test("the first deletion of a run removes the copy, and nothing of the run is left", async () => {
  const run = await version6();
  const { runs, close } = openLocalPlatform({ dataDir });
  expect(existsSync(copy)).toBe(true);
  expect(await runs.change({ ...onTurn(run), set: { status: "terminated", turn: 1, updatedAt: 2 }, erase: true })).toBe(
    true,
  );
  expect(await runs.erase(run.id)).toBe(true);
  expect(existsSync(copy)).toBe(false);
  expect(upgradeNotice(dataDir)).toBeUndefined();
  close();
});

test("without space for the copy, nothing is changed", async () => {
  await version6();
  // A folder in the place of the copy: the last step fails, as any other of a full disk would.
  mkdirSync(join(copy, "folder"), { recursive: true });
  expect(() => openLocalPlatform({ dataDir })).toThrow(
    /needs an update, and its copy .* could not be written first: .* Nothing was changed/,
  );
  expect(readdirSync(dataDir).filter((name) => name.endsWith(".partial"))).toEqual([]);
  const old = new DatabaseSync(file);
  expect(old.prepare("PRAGMA user_version").get()).toEqual({ user_version: 6 });
  old.close();
});

/** A data directory of version 6 with one run. */
async function version6() {
  const before = openLocalPlatform({ dataDir });
  const run = await created(before.runs);
  before.database.db.exec(events6);
  before.close();
  return run;
}
