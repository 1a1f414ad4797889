import { paginateQuery, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Runs } from "../../../runs/ports.ts";
import { dayOf } from "../../../runs/quotas.ts";
import type { RunFacts } from "../../../runs/run-types.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { countKey } from "./quota-items.ts";
import { isExpired, shardOf } from "./run-items.ts";
import { ttlAttribute } from "./table.ts";

type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** Sort key prefix. It sorts before the dollars of days, which a quota reads from there on. */
const prefix = "BYTES#";

const daySeconds = 86_400;

/**
 * The writes that add bytes of a run's files to those of its agent and organization. The items are those of the day on which
 * the run was created, and expire after the runs of that day: so runs that expire give their bytes back. Empty for 0 bytes.
 */
export function storedBytesWrites(
  { table, retentionDays }: Pick<DynamoTable, "table"> & { retentionDays?: number },
  {
    id,
    agentId,
    organizationId,
    createdAt,
  }: Pick<RunFacts, "agentId" | "organizationId"> & { id: string; createdAt: number },
  bytes: number,
): Write[] {
  if (bytes === 0) return [];
  // A caller without the retention time deletes runs: their items exist, and have an expiry.
  const expiry =
    retentionDays === undefined ? undefined : Math.ceil(createdAt / 1_000) + (retentionDays + 1) * daySeconds;
  return [agentId, organizationId].map((ownerId) => ({
    Update: {
      TableName: table,
      Key: { pk: countKey(ownerId).pk, sk: `${prefix}${dayOf(createdAt)}#${shardOf(id)}` },
      UpdateExpression: `${expiry === undefined ? "" : `SET ${ttlAttribute} = :expiry `}ADD storedBytes :bytes`,
      ExpressionAttributeValues: { ...(expiry !== undefined && { ":expiry": expiry }), ":bytes": bytes },
    },
  }));
}

export function awsStoredBytes({ documents, table }: DynamoTable): Pick<Runs, "storedBytes"> {
  async function bytesOf(ownerId: string): Promise<number> {
    let bytes = 0;
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
        ExpressionAttributeValues: { ":pk": countKey(ownerId).pk, ":prefix": prefix },
      },
    );
    for await (const { Items = [] } of pages) {
      for (const item of Items) if (!isExpired(item)) bytes += Number(item["storedBytes"]);
    }
    return Math.max(0, bytes);
  }

  return {
    async storedBytes({ agentId, organizationId }) {
      const [agent, organization] = await Promise.all([bytesOf(agentId), bytesOf(organizationId)]);
      return { agent, organization };
    },
  };
}
