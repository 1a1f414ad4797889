import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openLocalPlatform } from "../../src/platform/local/open-platform.ts";
import type { Run, RunChange } from "../../src/runs/run-types.ts";
import { answered, created, input, numbered, onTurn, output } from "./run-fixtures.ts";
import { events6 } from "./schema-6.ts";
import { newCase, newTrial } from "./trials.contract.ts";

/** A data directory whose database has this version. */
function withVersion(version: number): { dataDir: string; [Symbol.dispose]: () => void } {
  const dataDir = mkdtempSync(join(tmpdir(), "migration-"));
  const db = new DatabaseSync(join(dataDir, "runs.sqlite"));
  db.exec(`CREATE TABLE runs (id TEXT); PRAGMA user_version = ${version}`);
  db.close();
  return { dataDir, [Symbol.dispose]: () => rmSync(dataDir, { recursive: true }) };
}

test.each([1, 5])("a database of version %i, before 0.2.0, is refused with what to do, and unchanged", (version) => {
  using old = withVersion(version);
  expect(() => openLocalPlatform(old)).toThrow(
    `was written by a version of this service before 0.2.0 (schema ${version}; this version upgrades from 6): ` +
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

test("a database of version 6 is migrated: each run keeps its events, in their order", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "migration-"));
  const before = openLocalPlatform({ dataDir });
  const ids: string[] = [];
  for (const text of ["of the first run", "of the second run"]) {
    const run = await created(before.runs);
    const first = numbered(1, { entries: [answered(1, 1), answered(1, 2)], messages: [output(1, `output ${text}`)] });
    const end = { status: "finished", turn: 1, updatedAt: 2 } as const;
    expect(await before.runs.change({ ...onTurn(run), ...first, set: end })).toBe(true);
    const second = numbered(4, { entries: [answered(2, 1)], messages: [input(2, `next ${text}`)] });
    const begin = { status: "running", turn: 2, updatedAt: 3 } as const;
    expect(await before.runs.change({ runId: run.id, expect: end, ...second, set: begin })).toBe(true);
    ids.push(run.id);
  }
  const readAll = ({ runs }: typeof before) =>
    Promise.all(ids.flatMap((id) => [runs.load(id), runs.listEvents(id, 2, 3), runs.listEvents(id, 0, 10)]));
  const all = await readAll(before);
  expect(JSON.stringify(all)).toContain("next of the second run");
  before.database.db.exec(events6);
  before.close();
  const after = openLocalPlatform({ dataDir });
  expect(await readAll(after)).toEqual(all);
  const startedBy = { kind: "key", id: "a".repeat(64) } as const;
  const next = await created(after.runs, { startedBy });
  expect(await after.runs.head(next.id)).toEqual({ ...next, startedBy });
  after.close();
  rmSync(dataDir, { recursive: true });
});

/** A database of an earlier version with a run, opened by this version. `columns`: of runs, which the version did not have. */
async function migratedFrom(version: number, columns: string[]) {
  const dataDir = mkdtempSync(join(tmpdir(), "migration-"));
  const before = openLocalPlatform({ dataDir });
  const run = await created(before.runs);
  const owner = { agentId: "A", organizationId: "O" };
  const key = { hash: "a".repeat(64), hint: "ak_Ab12Cd", ...owner, enabled: true, createdAt: 1 };
  await before.accounts.createKey(key);
  const later = [...columns, ...(version < 13 ? ["imported"] : []), "chosen"];
  const drops = later.map((column) => `ALTER TABLE runs DROP COLUMN ${column};`);
  if (version < 10) drops.unshift("DROP INDEX runs_asking;");
  if (version < 12) drops.push("DROP INDEX keys_of_several;");
  if (version < 11) {
    drops.push("DROP TABLE trials; DROP TABLE trial_cases; ALTER TABLE agent_versions DROP COLUMN trial_id;");
  }
  before.database.db.exec(`${drops.join(" ")} PRAGMA user_version = ${version};`);
  before.close();
  const after = openLocalPlatform({ dataDir });
  const close = (): void => {
    after.close();
    rmSync(dataDir, { recursive: true });
  };
  return { ...after, run, key, [Symbol.dispose]: close };
}

/** The columns of runs that wait for answers. */
const pauses = ["asked_until", "pauses", "worked"];
const imported = {
  runId: "a",
  sha256: "b",
  run: { name: "R", status: "running", turn: 1, createdAt: 1, updatedAt: 2, sequence: 1 },
} as const;

test.each<[number, string[], Partial<Run>]>([
  [13, [], { chosen: { model: "fast", limits: { steps: 3 }, runLimits: { dollars: 0.5 } } }],
  [12, [], { imported }],
  [8, ["result_schema", ...pauses], { resultSchema: "a".repeat(64) }],
])(
  "a database of version %i is migrated: later runs can have what it did not know",
  async (version, columns, known) => {
    using migrated = await migratedFrom(version, columns);
    const { runs, run } = migrated;
    expect(await runs.head(run.id)).toEqual(run);
    const next = await created(runs, known);
    expect(await runs.head(next.id)).toEqual({ ...next, ...known });
  },
);

const asks = { askedUntil: 9, pauses: 1, worked: 2 };
const tokens = [{ id: "a", hash: "a".repeat(64), createdAt: 1, expiresAt: 2 }];
const ofVersion7 = ["tokens", "tools", "result_schema", ...pauses];

test.each<[number, string, string[], Partial<RunChange>, Partial<Run>]>([
  [9, "pauses", pauses, { set: { status: "running", turn: 1, updatedAt: 3, asks } }, { updatedAt: 3, ...asks }],
  [7, "tokens", ofVersion7, { tokens: { before: [], after: tokens } }, { tokens }],
  [7, "tools", ofVersion7, { tools: ["read_file"] }, { tools: ["read_file"] }],
])("a database of version %i is migrated: its runs get %s", async (version, _, columns, change, after) => {
  using migrated = await migratedFrom(version, columns);
  const { runs, run } = migrated;
  expect((await runs.read(run.id))?.run).toEqual(run);
  expect(await runs.change({ ...onTurn(run), ...change })).toBe(true);
  expect(await runs.head(run.id)).toEqual({ ...run, ...after });
});

test("a database of version 11 is migrated: its keys are those of one agent, and later ones can have several", async () => {
  using migrated = await migratedFrom(11, []);
  const { accounts, runs, run, key } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  expect(await accounts.listKeys(key.agentId)).toEqual([key]);
  const several = { ...key, hash: "b".repeat(64), createdAt: 2, moreAgents: ["B", "C"] };
  await accounts.createKey(several);
  expect(await accounts.listKeys(key.agentId)).toEqual([key, several]);
  expect(await accounts.listKeys("C")).toEqual([several]);
});

test("a database of version 10 is migrated: its agents have no trials, and can get some", async () => {
  using migrated = await migratedFrom(10, []);
  const { runs, run, trials } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  const trial = newTrial({ agentId: run.agentId, status: "running" });
  expect(await trials.list({ agentId: run.agentId, limit: 1 })).toEqual({ trials: [] });
  await trials.create(trial, [newCase(trial.id, 1)]);
  expect(await trials.listActive()).toEqual([trial.id]);
  expect(await trials.listCases(trial.id)).toEqual([newCase(trial.id, 1)]);
});
