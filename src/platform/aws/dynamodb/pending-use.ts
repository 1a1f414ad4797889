import { paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { PendingUse } from "../../../runs/ports.ts";
import type { QuotaScope, RunOwner } from "../../../runs/run-types.ts";
import type { DynamoTable } from "../sdk/clients.ts";
import { countKey } from "./quota-items.ts";
import { ttlAttribute } from "./table.ts";

/** What an upload counts as. Without an organization, an earlier version stored it and counted nothing. */
export interface CountedUpload {
  agentId: string;
  organizationId?: string;
  size: number;
  expiresAtMs: number;
}

/** Sort key prefix. It sorts before the dollars of days, which a quota reads from there on. */
const prefix = "ANNOUNCED#";

const hourMilliseconds = 3_600_000;

/**
 * Counts of pending uploads by agent, organization and the hour in which they expire. A count is read until its hour is over: so
 * uploads that DynamoDB removes need no write.
 */
export function awsPendingUse({ documents, table }: DynamoTable) {
  async function change(upload: CountedUpload, sign: 1 | -1): Promise<void> {
    const { agentId, organizationId, size, expiresAtMs } = upload;
    if (organizationId === undefined) return;
    const hour = hourOf(expiresAtMs);
    const changed = [agentId, organizationId].map((ownerId) =>
      documents.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk: countKey(ownerId).pk, sk: sortKeyOf(hour) },
          UpdateExpression: `SET ${ttlAttribute} = :expiry ADD uploads :uploads, uploadBytes :bytes`,
          ExpressionAttributeValues: {
            ":expiry": ((hour + 1) * hourMilliseconds) / 1_000,
            ":uploads": sign,
            ":bytes": sign * size,
          },
        }),
      ),
    );
    await Promise.all(changed);
  }

  async function useOf(ownerId: string): Promise<PendingUse> {
    const use = { uploads: 0, bytes: 0 };
    const pages = paginateQuery(
      { client: documents },
      {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :now AND :end",
        ExpressionAttributeValues: {
          ":pk": countKey(ownerId).pk,
          ":now": sortKeyOf(hourOf(Date.now())),
          ":end": `${prefix}~`,
        },
      },
    );
    for await (const { Items = [] } of pages) {
      for (const { uploads, uploadBytes } of Items) {
        use.uploads += Number(uploads);
        use.bytes += Number(uploadBytes);
      }
    }
    return { uploads: Math.max(0, use.uploads), bytes: Math.max(0, use.bytes) };
  }

  return {
    add: (upload: CountedUpload): Promise<void> => change(upload, 1),

    remove: (upload: CountedUpload): Promise<void> => change(upload, -1),

    /** Whether two states of one upload are in the same count. */
    isSame: (before: CountedUpload, after: CountedUpload): boolean =>
      before.organizationId === after.organizationId && hourOf(before.expiresAtMs) === hourOf(after.expiresAtMs),

    async of({ agentId, organizationId }: RunOwner): Promise<Record<QuotaScope, PendingUse>> {
      const [agent, organization] = await Promise.all([useOf(agentId), useOf(organizationId)]);
      return { agent, organization };
    },
  };
}

function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / hourMilliseconds);
}

function sortKeyOf(hour: number): string {
  return prefix + String(hour).padStart(7, "0");
}
