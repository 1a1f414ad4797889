/**
 * The one table's layout, shared with the infrastructure that creates it. All keys are strings.
 *
 * | item         | pk           | sk                                       | gsi1                             | gsi2              |
 * | ------------ | ------------ | ---------------------------------------- | -------------------------------- | ----------------- |
 * | organization | `ORG#<id>`   | `HEAD`                                   | `ORGS` / id                      |                   |
 * | agent        | `AGENT#<id>` | `HEAD`                                   | `AGENTS` / organization, id      |                   |
 * | key          | `KEY#<hash>` | `HEAD`                                   | `KEYS#<agent>` / created, hash   |                   |
 * | run          | `RUN#<id>`   | `HEAD`                                   | `RUNS#<agent>#<shard>` / created | `RUNNING#<shard>` |
 * | message      | `RUN#<id>`   | `MESSAGE#<turn>#<role>`                  |                                  |                   |
 * | queued input | `RUN#<id>`   | `QUEUE#<turn>`                           |                                  |                   |
 * | summary      | `RUN#<id>`   | `RECAP`                                  |                                  |                   |
 * | step record  | `RUN#<id>`   | `STEP#<99999-turn>#<step>#<part>#<call>` |                                  |                   |
 */
export const partitionKey = "pk";
export const sortKey = "sk";
/** Sort key of what is found by its id alone. */
export const head = "HEAD";
/** Epoch seconds after which DynamoDB may delete an item. */
export const ttlAttribute = "expiresAt";

/** Lists: organizations, agents, an agent's keys, an agent's runs. Project ALL. */
export const listIndex = { name: "gsi1", partitionKey: "gsi1pk", sortKey: "gsi1sk" } as const;

/** Sparse: holds a run while it is `running`. Project INCLUDE with `nonKeyAttributes`. */
export const runningIndex = {
  name: "gsi2",
  partitionKey: "gsi2pk",
  sortKey: "gsi2sk",
  nonKeyAttributes: ["id", "turn", "updatedAt"],
} as const;

/**
 * Partitions of each list that all runs share. One partition takes 1,000 writes of 1 KB a second; changing the number
 * hides runs from their lists until they are written again.
 */
export const shards = 16;

/** Prefixes of the bucket; a run's id and a slash follow. */
export const objectPrefixes = { workspaces: "workspaces/", texts: "texts/" } as const;

/** What names of secrets begin with that the service may read: the functions' grant is for these alone. */
export const secretPrefix = "agent-run-service/";

/** Milliseconds as a string that sorts as the number does, up to the year 33658. */
export function sortable(milliseconds: number): string {
  return String(milliseconds).padStart(15, "0");
}
