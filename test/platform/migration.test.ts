import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { authenticateOperator, createOperator } from "../../src/accounts/operators.ts";
import { openLocalPlatform } from "../../src/platform/local/index.ts";
import { events6 } from "./schema-6.ts";
import { newCase, newTrial } from "./trials.contract.ts";
import { answered, created, input, numbered, onTurn, output } from "./run-fixtures.ts";

// The schema of version 1.
const version1 = `
  CREATE TABLE organizations (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE agents (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_agent ON keys (agent_id);
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, organization_id TEXT NOT NULL,
    name TEXT NOT NULL, status TEXT NOT NULL, turn INTEGER NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, failure TEXT
  ) STRICT;
  CREATE INDEX runs_by_agent ON runs (agent_id, created_at);
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'running';
  CREATE TABLE messages (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, turn, role)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE steps (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL, part TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (run, turn, step, part)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1;
`;

const results = [
  { callId: "c0", name: "read_file", text: 'nul \u0000, quote " and ü 🚀' },
  { callId: "c1", name: "write_file", text: "no", error: true },
];
const usage = { inputTokens: 3, outputTokens: 4 };
const calls = results.map(({ callId: id, name }) => ({ id, name, input: {} }));
const answer = { text: "", toolCalls: calls, finishReason: "tool-calls", usage };

test("a database of version 1 is migrated with all its data", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "migration-"));
  mkdirSync(join(dataDir, "workspaces"));
  const old = new DatabaseSync(join(dataDir, "runs.sqlite"));
  old.exec(version1);
  old.exec(`
    INSERT INTO keys VALUES ('h', 'A', '{"hash":"h","agentId":"A"}');
    INSERT INTO agents VALUES ('D', 'O', '{"id":"D","status":"deleted"}');
    INSERT INTO keys VALUES ('d', 'D', '{"hash":"d","agentId":"D","enabled":true}');
    INSERT INTO runs VALUES (7, 'R', 'A', 'O', 'Run', 'running', 1, 11, 12, NULL);
    INSERT INTO messages VALUES (7, 1, 'input_to_agent', 'first');
  `);
  const step = old.prepare("INSERT INTO steps VALUES (7, 1, 1, ?, ?)");
  step.run("answer", JSON.stringify({ turn: 1, step: 1, part: "answer", answer }));
  step.run("results", JSON.stringify({ turn: 1, step: 1, part: "results", results }));
  old.close();

  for (let opened = 1; opened <= 2; opened++) {
    const stores = openLocalPlatform({ dataDir });
    const { runs, accounts } = stores;
    expect(await accounts.findKey("h")).toEqual({ hash: "h", agentId: "A" });
    expect(await accounts.findKey("d")).toEqual({ hash: "d", agentId: "D", enabled: false, agentDeleted: true });
    const run = { id: "R", agentId: "A", organizationId: "O", name: "Run", status: "running", turn: 1 };
    expect(await runs.load("R")).toEqual({
      run: { ...run, createdAt: 11, updatedAt: 12, sequence: 0 },
      transcript: [{ role: "input_to_agent", text: "first" }],
      journal: [
        { turn: 1, step: 1, part: "answer", answer },
        { turn: 1, step: 1, part: "result", call: 0, result: results[0] },
        { turn: 1, step: 1, part: "result", call: 1, result: results[1] },
      ],
      queue: [],
    });
    stores.close();
  }
  rmSync(dataDir, { recursive: true });
});

test("a database of version 3 is migrated; its runs have no model, and it has no operators", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "migration-"));
  const before = openLocalPlatform({ dataDir });
  const run = await created(before.runs);
  const withFile = { ...run, id: "with-file", sequence: 0 };
  await before.runs.create(withFile, [], { uploads: [{ name: "a", size: 70, sha256: "a".repeat(64) }] });
  before.database.db.exec(`
    ALTER TABLE runs DROP COLUMN model; ALTER TABLE runs DROP COLUMN labels; ALTER TABLE runs DROP COLUMN webhook;
    ALTER TABLE runs DROP COLUMN transcript_bytes;
    ALTER TABLE runs DROP COLUMN tokens;
    ALTER TABLE runs DROP COLUMN tools;
    ALTER TABLE runs DROP COLUMN result_schema;
    ALTER TABLE runs DROP COLUMN imported;
    DROP INDEX runs_asking; ALTER TABLE runs DROP COLUMN asked_until; ALTER TABLE runs DROP COLUMN pauses; ALTER TABLE runs DROP COLUMN worked;
    ALTER TABLE runs DROP COLUMN started_by; ALTER TABLE messages DROP COLUMN started_by; ALTER TABLE queue DROP COLUMN started_by;
    DROP TABLE trials; DROP TABLE trial_cases; ALTER TABLE agent_versions DROP COLUMN trial_id; DROP INDEX keys_of_several;
    ALTER TABLE runs DROP COLUMN chosen;
    DROP TABLE operators; DROP TABLE idempotency; DROP TABLE webhooks; DROP TABLE deliveries; DROP TABLE uploads;
    DROP TABLE erasures; DROP TABLE upload_runs; DROP TABLE pending_use; DROP INDEX runs_by_organization;
    DROP TRIGGER files_added; DROP TRIGGER files_changed; DROP TRIGGER files_removed; DROP TABLE stored_bytes;
    ALTER TABLE files DROP COLUMN bytes;
    PRAGMA user_version = 3;
  `);
  before.close();
  const after = openLocalPlatform({ dataDir });
  expect((await after.runs.read(run.id))?.run).toEqual(run);
  expect(await after.runs.change({ ...onTurn(run), model: "m" })).toBe(true);
  expect((await after.runs.read(run.id))?.run).toEqual({ ...run, model: "m" });
  expect(await after.runs.storedBytes(run)).toEqual({ agent: 70, organization: 70 });
  const { accounts } = after;
  const { token, stored } = await createOperator(accounts, { name: "mira", role: "viewer" });
  expect(await accounts.listOperators()).toEqual([stored]);
  expect(await authenticateOperator(accounts, token)).toMatchObject({ role: "viewer" });
  after.close();
  rmSync(dataDir, { recursive: true });
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

test("a database of version 13 is migrated: its runs chose nothing, and later ones can", async () => {
  using migrated = await migratedFrom(13, []);
  const { runs, run } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  const chosen = { model: "fast", limits: { steps: 3 }, runLimits: { dollars: 0.5 } };
  const next = await created(runs, { chosen });
  expect(await runs.head(next.id)).toEqual({ ...next, chosen });
});

test("a database of version 12 is migrated: its runs were not imported, and later ones can be", async () => {
  using migrated = await migratedFrom(12, []);
  const { runs, run } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  const { name, status, turn, createdAt, updatedAt, sequence } = run;
  const imported = { runId: "a", sha256: "b", run: { name, status, turn, createdAt, updatedAt, sequence } };
  const next = await created(runs, { imported });
  expect(await runs.head(next.id)).toEqual({ ...next, imported });
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

/** The columns of runs that wait for answers. */
const pauses = ["asked_until", "pauses", "worked"];

test("a database of version 9 is migrated: its runs can wait for answers", async () => {
  using migrated = await migratedFrom(9, pauses);
  const { runs, run } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  const asks = { askedUntil: 9, pauses: 1, worked: 2 };
  expect(await runs.change({ ...onTurn(run), set: { status: "running", turn: 1, updatedAt: 3, asks } })).toBe(true);
  expect(await runs.head(run.id)).toEqual({ ...run, updatedAt: 3, ...asks });
});

test("a database of version 7 is migrated: its runs have no tokens, and can get some", async () => {
  using migrated = await migratedFrom(7, ["tokens", "tools", "result_schema", ...pauses]);
  const { runs, run } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  const tokens = [{ id: "a", hash: "a".repeat(64), createdAt: 1, expiresAt: 2 }];
  expect(await runs.change({ ...onTurn(run), tokens: { before: [], after: tokens } })).toBe(true);
  expect(await runs.head(run.id)).toEqual({ ...run, tokens });
});

test("a database of version 7 is migrated: its runs have no known tools, and get those that later answers call", async () => {
  using migrated = await migratedFrom(7, ["tokens", "tools", "result_schema", ...pauses]);
  const { runs, run } = migrated;
  expect((await runs.read(run.id))?.run).toEqual(run);
  expect(await runs.change({ ...onTurn(run), tools: ["read_file"] })).toBe(true);
  expect((await runs.read(run.id))?.run).toEqual({ ...run, tools: ["read_file"] });
});

test("a database of version 8 is migrated: its runs have no schema of their own, and later ones can have one", async () => {
  using migrated = await migratedFrom(8, ["result_schema", ...pauses]);
  const { runs, run } = migrated;
  expect(await runs.head(run.id)).toEqual(run);
  const resultSchema = "a".repeat(64);
  const next = await created(runs, { resultSchema });
  expect(await runs.head(next.id)).toEqual({ ...next, resultSchema });
});
