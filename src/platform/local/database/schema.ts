import type { DatabaseSync } from "node:sqlite";
import { hasMoreAgents } from "../../records/accounts.ts";
import { eventColumns, eventKey } from "./event-keys.ts";
import { addMissingColumns, columnDefinitions, newestColumn } from "./run-columns.ts";
import { copyBeforeUpgrade } from "./upgrade-copy.ts";

// The order of the transcript is that of the numbers of its messages ("sequence").
// The long column comes last, so that the others are read without it.
const events = `
  CREATE TABLE messages (
    ${eventColumns}, at INTEGER, turn INTEGER NOT NULL, role TEXT NOT NULL, agent_version INTEGER, started_by TEXT,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE journal (
    ${eventColumns}, at INTEGER, turn INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;`;
const queueAndSummaries = `
  CREATE TABLE queue (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, text TEXT NOT NULL, started_by TEXT, PRIMARY KEY (run, turn)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE summaries (run INTEGER PRIMARY KEY, through_turn INTEGER NOT NULL, text TEXT NOT NULL) STRICT;`;
const agentHistory = `
  CREATE TABLE agent_versions (
    agent_id TEXT NOT NULL, version INTEGER NOT NULL, created_at INTEGER NOT NULL, hash TEXT NOT NULL,
    body TEXT NOT NULL, trial_id TEXT, PRIMARY KEY (agent_id, version)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE INDEX audit_by_time ON audit (at);
  CREATE TABLE configurations (
    agent_id TEXT NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (agent_id, hash)
  ) STRICT, WITHOUT ROWID;`;

// "dollars" by agent or organization. "turns": those that ended, for the mean cost of a turn.
const spent = `
  CREATE TABLE spent (
    owner TEXT NOT NULL, day TEXT NOT NULL, dollars REAL NOT NULL, turns INTEGER NOT NULL, PRIMARY KEY (owner, day)
  ) STRICT, WITHOUT ROWID;`;
// Few runs count towards a quota, so the partial index costs the others nothing. Counts need no other page.
const quotas = `
  CREATE INDEX runs_of_quotas ON runs (organization_id, agent_id, waiting, quota_of) WHERE status = 'running' AND
    (quota_of IS NOT NULL OR waiting IS NOT NULL);
  ${spent}`;

const operators = `
  CREATE TABLE operators (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`;

// "key" and "request": SHA-256 of an idempotency key and of the body of its create.
const idempotency = `
  CREATE TABLE idempotency (
    agent_id TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (agent_id, key)
  ) STRICT, WITHOUT ROWID;`;

// "body" is the whole delivery as JSON. "due": time of the next attempt; null for a delivery that is not pending.
// "destination": host of the run's own URL; empty for the agent's webhook.
const webhooks = `
  CREATE TABLE webhooks (agent_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL, at INTEGER NOT NULL,
    attempts INTEGER NOT NULL, due INTEGER, body TEXT NOT NULL, destination TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE INDEX deliveries_by_agent ON deliveries (agent_id, at, id);
  CREATE INDEX deliveries_due ON deliveries (agent_id, destination, due) WHERE due IS NOT NULL;`;

// Files that are sent before the create that names them.
const pendingUploads = `
  CREATE TABLE uploads (
    id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, body TEXT NOT NULL, organization_id TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX uploads_by_expiry ON uploads (expires_at);`;

// Runs that are being deleted, and which runs were created with which pending upload.
const erasures = `
  CREATE TABLE erasures (run_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE upload_runs (
    run_id TEXT NOT NULL, upload_id TEXT NOT NULL, PRIMARY KEY (run_id, upload_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_of_uploads ON upload_runs (upload_id);`;

// What each agent and organization has pending, without a scan. A replaced upload has the same agent and size.
const pendingUse = `
  CREATE TABLE pending_use (
    owner TEXT PRIMARY KEY, uploads INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER upload_added AFTER INSERT ON uploads BEGIN
    INSERT INTO pending_use VALUES
        (new.body ->> 'agentId', 1, new.body ->> 'size'), (new.organization_id, 1, new.body ->> 'size')
      ON CONFLICT DO UPDATE SET uploads = uploads + 1, bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER upload_removed AFTER DELETE ON uploads BEGIN
    UPDATE pending_use SET uploads = uploads - 1, bytes = bytes - (old.body ->> 'size')
      WHERE owner IN (old.body ->> 'agentId', old.organization_id);
  END;`;

const files = `
  -- "uploads": files of the create. "current": files after the last turn that changed some.
  CREATE TABLE files (
    run INTEGER PRIMARY KEY, uploads TEXT, current TEXT, bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;`;

// Bytes of the files of all runs by agent and by organization.
const storedBytes = `
  CREATE TABLE stored_bytes (owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER files_added AFTER INSERT ON files BEGIN
    INSERT INTO stored_bytes SELECT agent_id, new.bytes FROM runs WHERE seq = new.run
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
    INSERT INTO stored_bytes SELECT organization_id, new.bytes FROM runs WHERE seq = new.run
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER files_changed AFTER UPDATE OF bytes ON files WHEN new.bytes <> old.bytes BEGIN
    UPDATE stored_bytes SET bytes = bytes + new.bytes - old.bytes WHERE owner IN
      (SELECT agent_id FROM runs WHERE seq = new.run UNION ALL SELECT organization_id FROM runs WHERE seq = new.run);
  END;
  CREATE TRIGGER files_removed AFTER DELETE ON files BEGIN
    UPDATE stored_bytes SET bytes = bytes - old.bytes WHERE owner IN
      (SELECT agent_id FROM runs WHERE seq = old.run UNION ALL SELECT organization_id FROM runs WHERE seq = old.run);
  END;`;

// A list of an organization reads its page, however many agents the organization has. A create alone writes 7.5 pages with this
// index and 6.1 without, and one of 500 in a commit 0.27 and 0.23 (counted).
const organizationRuns = `
  CREATE INDEX runs_by_organization ON runs (organization_id, created_at);`;

// Runs that wait for answers.
const asking = `
  CREATE INDEX runs_asking ON runs (asked_until) WHERE asked_until IS NOT NULL;`;

// "body" is the whole trial, or case, as JSON. "revision" is that of the body.
const trials = `
  CREATE TABLE trials (
    id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, created_at INTEGER NOT NULL, status TEXT NOT NULL,
    revision INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX trials_by_agent ON trials (agent_id, created_at, id);
  CREATE INDEX trials_active ON trials (id) WHERE status IN ('running', 'stopping');
  CREATE TABLE trial_cases (
    trial TEXT NOT NULL, number INTEGER NOT NULL, revision INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (trial, number)
  ) STRICT;
  CREATE INDEX trial_cases_by_run ON trial_cases (json_extract(body, '$.source.runId'));`;

const keysOfSeveral = `
  CREATE INDEX keys_of_several ON keys (hash) WHERE ${hasMoreAgents};`;

const schema = `
  CREATE TABLE organizations (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE agents (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (hash TEXT PRIMARY KEY, agent_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_agent ON keys (agent_id);
  -- Rows are stored in the order of creation ("seq"), so a commit writes a few pages at the end of each table. With the
  -- random id as key, a commit writes pages for every run (1/3 of the speed).
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY, transcript_bytes INTEGER NOT NULL DEFAULT 0, ${columnDefinitions}, UNIQUE (id)
  ) STRICT;
  CREATE INDEX runs_by_agent ON runs (agent_id, created_at);
  CREATE INDEX runs_running ON runs (seq) WHERE status = 'running';
  ${asking}
  ${events}
  ${queueAndSummaries}
  ${agentHistory}
  ${quotas}
  ${files}
  ${operators}
  ${idempotency}
  ${webhooks}
  ${pendingUploads}
  ${pendingUse}
  ${erasures}
  ${organizationRuns}
  ${storedBytes}
  ${trials}
  ${keysOfSeveral}
`;

// 0.2.0 had messages and journal entries in tables without rowid, and did not record who started something.
const fromVersion6 = `
  ALTER TABLE queue ADD COLUMN started_by TEXT;
  ALTER TABLE messages RENAME TO messages_6;
  ALTER TABLE journal RENAME TO journal_6;
  ${events}
  INSERT INTO messages (event, at, turn, role, agent_version, text)
    SELECT ${eventKey("run", "sequence")}, at, turn, role, agent_version, text FROM messages_6 ORDER BY run, sequence;
  DROP TABLE messages_6;
  INSERT INTO journal (event, at, turn, body)
    SELECT ${eventKey("run", "sequence")}, at, turn, body FROM journal_6 ORDER BY run, turn, sequence;
  DROP TABLE journal_6;
`;

/** The version of 0.2.0, from which later releases upgrade. */
const baseline = 6;

/** What each version needs besides the columns of runs that it lacks (`since` in `src/runs/fields.ts`), by the version before. */
const upgrades: Record<number, string> = {
  6: fromVersion6,
  9: asking,
  10: `ALTER TABLE agent_versions ADD COLUMN trial_id TEXT; ${trials}`,
  11: keysOfSeveral,
};

/** 14: the last version that a field of a run was added to before they said it themselves. */
const schemaVersion = Math.max(14, newestColumn, ...Object.keys(upgrades).map((from) => Number(from) + 1));

/**
 * Creates the tables, or copies those of an earlier version and updates them. Throws for a file of a later version, and of one
 * before the baseline.
 */
export function migrate(db: DatabaseSync, file: string): void {
  const readVersion = (): number => Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const found = readVersion();
  if (found > 0 && found < baseline) {
    throw new Error(
      `${file} was written by a version of this service before 0.2.0 (schema ${found}; this version upgrades from ${baseline}): ` +
        "start release 0.2.0 with this --data-dir once, which upgrades it, or use another --data-dir",
    );
  }
  if (found > 0 && found < schemaVersion) copyBeforeUpgrade(db, file, found);
  db.exec("BEGIN IMMEDIATE");
  const version = readVersion();
  if (version === 0) db.exec(schema);
  else if (version < schemaVersion) {
    addMissingColumns(db);
    for (const [from, script] of Object.entries(upgrades)) if (Number(from) >= version) db.exec(script);
  }
  if (version < schemaVersion) db.exec(`PRAGMA user_version = ${schemaVersion}`);
  db.exec("COMMIT");
  if (version > schemaVersion) {
    throw new Error(
      `${file} was written by a newer version of this service (schema ${version}; this version supports ` +
        `${schemaVersion}): update the service, or use another --data-dir`,
    );
  }
}
