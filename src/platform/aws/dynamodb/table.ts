/**
 * Layout of the table, shared with the infrastructure that creates it. All keys are strings.
 *
 * | item            | pk                           | sk                             | gsi1                             | gsi2              |
 * | --------------- | ---------------------------- | ------------------------------ | -------------------------------- | ----------------- |
 * | organization    | `ORG#<id>`                   | `HEAD`                         | `ORGS` / id                      |                   |
 * | agent           | `AGENT#<id>`                 | `HEAD`                         | `AGENTS` / organization, id      |                   |
 * | version         | `AGENT#<id>`                 | `VERSION#<version>`            |                                  |                   |
 * | configuration   | `CONFIG#<agent>`             | `<hash>`                       |                                  |                   |
 * | key             | `KEY#<hash>`                 | `HEAD`                         | `KEYS#<agent>` / created, hash   |                   |
 * | its further agents | `KEY#<hash>`              | `AGENT#<agent>`                | `KEYS#<agent>` / created, hash   |                   |
 * | operator        | `OPERATORS`                  | `<hash>`                       |                                  |                   |
 * | run             | `RUN#<id>`                   | `HEAD`                         | `RUNS#<agent>#<shard>` / created | `RUNNING#<shard>` |
 * | message         | `RUN#<id>`                   | `MESSAGE#<turn>#<role>`        |                                  |                   |
 * | queued input    | `RUN#<id>`                   | `QUEUE#<turn>`                 |                                  |                   |
 * | summary         | `RUN#<id>`                   | `RECAP`                        |                                  |                   |
 * | uploads         | `RUN#<id>`                   | `SAVED#UPLOADS`                |                                  |                   |
 * | files           | `RUN#<id>`                   | `SAVED#FILES`                  |                                  |                   |
 * | use of uploads  | `RUN#<id>`                   | `SAVED#PENDING#<upload>`       |                                  |                   |
 * | journal         | `RUN#<id>`                   | `SEQUENCE#<99999999-sequence>` |                                  |                   |
 * | text in progress | `RUN#<id>`                   | `TEXT`                         |                                  |                   |
 * | audit entry     | `AUDIT`                      | `<time>#<random>`              |                                  |                   |
 * | counts          | `COUNT#<id>`                 | `HEAD`                         |                                  | `COUNT#<shard>`   |
 * | dollars         | `COUNT#<id>`                 | `DAY#<date>#<shard>`           |                                  |                   |
 * | pending use     | `COUNT#<id>`                 | `ANNOUNCED#<hour of expiry>`   |                                  |                   |
 * | idempotency key | `IDEMPOTENCY#<agent>#<hash>` | `HEAD`                         |                                  |                   |
 * | webhook         | `WEBHOOK#<agent>`            | `HEAD`                         |                                  |                   |
 * | delivery        | `DELIVERY#<id>`              | `HEAD`                         | `DELIVERIES#<agent>` / time, id  |                   |
 * | pending upload  | `UPLOAD#<id>`                | `HEAD`                         |                                  |                   |
 * | its uses        | `UPLOAD#<id>`                | `RUN#<run>`                    |                                  |                   |
 * | trial           | `TRIAL#<id>`                 | `HEAD`                         | `TRIALS#<agent>` / created, id   |                   |
 * | case of a trial | `TRIAL#<id>`                 | `CASE#<number>`                | `TRIED#<run>` / trial, number    |                   |
 *
 * A suite and its cases are runs whose ids do not expire (`src/runs/erase/kept.ts`).
 *
 * gsi3 holds the runs of an organization: see `organizationIndex`.
 *
 * A run that waits for a slot is in `WAITING#<shard>` of gsi2, and one that waits for answers in `ASKING#<shard>`. A trial with
 * the status `running` or `stopping` is in `TRIALS#ACTIVE` of gsi2. Counts exist for agents and organizations with a quota.
 */
export const partitionKey = "pk";
export const sortKey = "sk";
/** Sort key of items that are found by their id. */
export const head = "HEAD";
/** Epoch seconds after which DynamoDB may delete an item. */
export const ttlAttribute = "expiresAt";

/** Lists: organizations, agents; an agent's keys, runs, deliveries and trials. Project ALL. */
export const listIndex = { name: "gsi1", partitionKey: "gsi1pk", sortKey: "gsi1sk" } as const;

/** Sparse: holds a run while it is `running`, and active trials. Project INCLUDE with `nonKeyAttributes`. */
export const runningIndex = {
  name: "gsi2",
  partitionKey: "gsi2pk",
  sortKey: "gsi2sk",
  nonKeyAttributes: ["id", "turn", "updatedAt"],
} as const;

/**
 * Runs of an organization, by time. Its keys are attributes that runs have always had, so it also holds the runs of earlier
 * versions. Project KEYS_ONLY: then it is written when a run is created or deleted, and by no other change. Deliveries and agents
 * have these attributes, too; readers skip them.
 */
export const organizationIndex = { name: "gsi3", partitionKey: "organizationId", sortKey: listIndex.sortKey } as const;

/**
 * Partitions of each list index. A partition accepts 1,000 writes of 1 KB a second. Never change this number. A smaller
 * one hides existing runs from `run list` for good, and running ones from the sweep until their next status change.
 */
export const shards = 16;

/** Of the partition keys of deliveries. New ones start the function `EnqueueDelivery`. */
export const deliveryPrefix = "DELIVERY#";

/** Key prefixes of the bucket. The id of a run and a slash follow; for `uploads`, that of an agent. */
export const objectPrefixes = {
  workspaces: "workspaces/",
  texts: "texts/",
  /** The workspaces and texts of what does not expire. */
  kept: "kept/",
  uploads: "uploads/",
  /** What the sandbox's functions have stored, until it is copied to a workspace. */
  staging: "staging/",
  /** Facts of Linux environments. */
  environments: "environments/",
} as const;

/** Name prefix of the secrets of all deployments. The stage and the id of an organization follow. */
export const secretRoot = "agent-run-service/";

/** Name prefix of the secrets that the functions of a deployment have permission to read. */
export function secretPrefixOf(stage: string): string {
  return `${secretRoot}${stage}/`;
}

/** Milliseconds as a string that sorts as the number does, up to the year 33658. */
export function sortable(milliseconds: number): string {
  return String(milliseconds).padStart(15, "0");
}

/** Sorts after every key that begins with a `sortable` time. */
export const afterAllTimes = "9".repeat(16);
