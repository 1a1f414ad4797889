/** Makes a database of version 6 of one of this version: the tables of events, and what is missing. */
export const events6 = `
  ALTER TABLE messages RENAME TO messages_7;
  ALTER TABLE journal RENAME TO journal_7;
  CREATE TABLE messages (
    run INTEGER NOT NULL, sequence INTEGER NOT NULL, at INTEGER, turn INTEGER NOT NULL, role TEXT NOT NULL,
    text TEXT NOT NULL, agent_version INTEGER, PRIMARY KEY (run, sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE journal (
    run INTEGER NOT NULL, turn INTEGER NOT NULL, sequence INTEGER NOT NULL, at INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (run, turn, sequence)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO messages SELECT run, sequence, at, turn, role, text, agent_version FROM messages_7;
  INSERT INTO journal SELECT run, turn, sequence, at, body FROM journal_7;
  DROP TABLE messages_7; DROP TABLE journal_7;
  ALTER TABLE runs DROP COLUMN tokens; ALTER TABLE runs DROP COLUMN tools; ALTER TABLE runs DROP COLUMN result_schema;
  ALTER TABLE runs DROP COLUMN imported; ALTER TABLE runs DROP COLUMN chosen;
  DROP INDEX keys_of_several;
  DROP TABLE trials; DROP TABLE trial_cases; ALTER TABLE agent_versions DROP COLUMN trial_id;
  DROP INDEX runs_asking; ALTER TABLE runs DROP COLUMN asked_until; ALTER TABLE runs DROP COLUMN pauses; ALTER TABLE runs DROP COLUMN worked;
  ALTER TABLE runs DROP COLUMN started_by; ALTER TABLE queue DROP COLUMN started_by;
  PRAGMA user_version = 6;
`;
