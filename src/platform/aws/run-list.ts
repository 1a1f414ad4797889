import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mergeRuns, type PartReader, placeOf } from "../../runs/merge-runs.ts";
import { semaphore } from "../../async/semaphore.ts";
import type { Runs } from "../../runs/ports.ts";
import type { RunPlace, RunQuery } from "../../runs/types.ts";
import type { DynamoTable } from "./clients.ts";
import { agentRuns, isExpired, placeKey, toRun } from "./run-items.ts";
import { listIndex, shards, sortable } from "./table.ts";

/** Queries at a time. A list over 1,000 agents takes 16,000, which would open as many connections. */
const maxQueries = 200;

/**
 * Lists runs from the shards of their agents' lists, one Query each. An index by organization would cost a write for
 * each run, and would lack the runs of earlier versions.
 */
export function awsRunList({ documents, table }: DynamoTable): Pick<Runs, "list"> {
  const inTurn = semaphore(maxQueries);

  function partReader(list: string, { since = 0 }: RunQuery): PartReader {
    return async (after: RunPlace, limit: number) => {
      if (after.createdAt < since) return { runs: [] }; // DynamoDB rejects such a range
      const query = new QueryCommand({
        TableName: table,
        IndexName: listIndex.name,
        KeyConditionExpression: "gsi1pk = :pk AND gsi1sk BETWEEN :since AND :after",
        ExpressionAttributeValues: { ":pk": list, ":since": sortable(since), ":after": placeKey(after) },
        ScanIndexForward: false,
        Limit: limit + 1, // the run at the place itself is not wanted
      });
      const { Items = [], LastEvaluatedKey } = await inTurn(() => documents.send(query));
      const read = Items.filter((item) => item["gsi1sk"] !== placeKey(after));
      const runs = read.filter((item) => !isExpired(item)).map(toRun);
      const last = read.at(-1);
      return { runs, ...(LastEvaluatedKey && last && { cut: placeOf(toRun(last)) }) };
    };
  }

  return {
    async list(query) {
      const lists = query.agentIds.flatMap((id) =>
        Array.from({ length: shards }, (_, shard) => `${agentRuns(id)}#${shard}`),
      );
      return mergeRuns(
        lists.map((list) => partReader(list, query)),
        query,
      );
    },
  };
}
