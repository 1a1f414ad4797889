import { BatchGetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { settleAll } from "../../../async/settle-all.ts";
import { semaphore } from "../../../async/semaphore.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { mergeRuns, type PartReader, placeOf } from "../../../runs/read/merge-runs.ts";
import type { Runs } from "../../../runs/ports.ts";
import type { Run, RunQuery } from "../../../runs/run-types.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { attempts, backOff } from "./conditional-write.ts";
import { toRun } from "./run-attributes.ts";
import { agentRuns, isExpired, type Item, partition, placeIn, placeKey } from "./run-items.ts";
import { listIndex, organizationIndex, shards, sortable } from "./table.ts";

/** Requests at a time: a list of many agents or organizations takes many, which would open as many connections. */
const maxRequests = 200;
/** Items of one BatchGetItem. DynamoDB accepts 100. */
const batchSize = 100;
/** Keys of further pages of an organization's index: among them can be many of deliveries. */
const furtherKeys = 1_000;
const dayMilliseconds = 86_400_000;

/**
 * Lists the runs of agents from the shards of their lists, one Query each, and those of an organization from its index: a
 * Query for their keys, and a BatchGetItem for each 100 of the page.
 */
export function awsRunList({ documents, table }: DynamoTable): Pick<Runs, "list"> {
  const inTurn = semaphore(maxRequests);

  async function queryRange(index: { name: string; partitionKey: string }, part: string, range: Item, page: Item) {
    const command = new QueryCommand({
      TableName: table,
      IndexName: index.name,
      KeyConditionExpression: `${index.partitionKey} = :pk AND gsi1sk BETWEEN :since AND :after`,
      ExpressionAttributeValues: { ":pk": part, ...range },
      ScanIndexForward: false,
      ...page,
    });
    const { Items = [], LastEvaluatedKey } = await inTurn(() => documents.send(command)).catch((error: unknown) => {
      if (!/specified index/.test(String(error))) throw error;
      const reason = "it was deployed by an earlier version. Run npm run deploy";
      throw new Error(`the stack's table has no index ${index.name}: ${reason}`, { cause: error });
    });
    // The run at the place itself is not wanted.
    return { items: Items.filter((item) => item["gsi1sk"] !== range[":after"]), LastEvaluatedKey };
  }

  function agentReader(list: string, { since = 0 }: RunQuery): PartReader {
    return async (after, limit) => {
      if (after.createdAt < since) return { runs: [] }; // DynamoDB rejects such a range
      const range = { ":since": sortable(since), ":after": placeKey(after) };
      const { items, LastEvaluatedKey } = await queryRange(listIndex, list, range, { Limit: limit + 1 });
      const runs = items.filter((item) => !isExpired(item)).map(toRun);
      const last = items.at(-1);
      return { runs, ...(LastEvaluatedKey && last && { cut: placeOf(toRun(last)) }) };
    };
  }

  function organizationReader(organizationId: string, { since = 0 }: RunQuery): PartReader {
    return async (after, limit) => {
      // The keys of agents follow those of all times. No run is newer than tomorrow.
      const newest = Math.min(after.createdAt, Date.now() + dayMilliseconds);
      if (newest < since) return { runs: [] };
      const range = { ":since": sortable(since), ":after": placeKey({ ...after, createdAt: newest }) };
      const keys: Item[] = [];
      let page: Item = { Limit: 2 * limit + 1 };
      for (let more = true; more && keys.length <= limit;) {
        const { items, LastEvaluatedKey } = await queryRange(organizationIndex, organizationId, range, page);
        keys.push(...items.filter(({ pk }) => String(pk).startsWith(partition(""))));
        page = { Limit: furtherKeys, ExclusiveStartKey: LastEvaluatedKey };
        more = LastEvaluatedKey !== undefined;
      }
      const wanted = keys.slice(0, limit);
      const last = wanted.at(-1);
      return { runs: await readRuns(wanted), ...(keys.length > limit && last && { cut: placeIn(last) }) };
    };
  }

  /** Reads the runs of these keys. Those that have been deleted since are missing. */
  async function readRuns(keys: Item[]): Promise<Run[]> {
    const batches = Array.from({ length: Math.ceil(keys.length / batchSize) }, (_, index) =>
      keys.slice(index * batchSize, (index + 1) * batchSize).map(({ pk, sk }) => ({ pk, sk })),
    );
    const items = await settleAll(batches.map((batch) => inTurn(() => readBatch(batch))));
    return items
      .flat()
      .filter((item) => !isExpired(item))
      .map(toRun);
  }

  async function readBatch(keys: Item[]): Promise<Item[]> {
    const found: Item[] = [];
    let left = keys;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const request = new BatchGetCommand({ RequestItems: { [table]: { Keys: left } } });
      const { Responses = {}, UnprocessedKeys = {} } = await documents.send(request);
      found.push(...(Responses[table] ?? []));
      left = UnprocessedKeys[table]?.Keys ?? [];
      if (left.length === 0) return found;
      await backOff(attempt);
    }
    throw new StoreUnavailable("DynamoDB did not return all runs of a page; try again later");
  }

  return {
    list: (query) =>
      mergeRuns(
        "organizationIds" in query
          ? query.organizationIds.map((id) => organizationReader(id, query))
          : query.agentIds
              .flatMap((id) => Array.from({ length: shards }, (_, shard) => `${agentRuns(id)}#${shard}`))
              .map((list) => agentReader(list, query)),
        query,
      ),
  };
}
