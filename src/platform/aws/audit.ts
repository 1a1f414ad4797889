import { randomBytes } from "node:crypto";
import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Accounts, AuditEntry } from "../../accounts/types.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { sortable } from "./dynamodb/table.ts";

const partition = "AUDIT";
/** Later than every entry. Keys have 15 digits. */
const latest = 999_999_999_999_999;

/** Entries that a Query reads of which a filter passes some. */
const filteredPage = 1_000;

/** The item of an audit entry. Its key is unique, so it overwrites no other. */
export function auditItem(entry: AuditEntry): Record<string, unknown> {
  return { ...entry, pk: partition, sk: `${sortable(entry.at)}#${randomBytes(6).toString("hex")}` };
}

/** Reads the audit, one partition in the order of time. Operators' actions are far below the limit of a partition. */
export function awsAudit({ documents, table }: DynamoTable): Pick<Accounts, "listAudit"> {
  return {
    async listAudit({ since, until = latest, organizations, limit }) {
      if (until <= since || organizations?.length === 0) return []; // DynamoDB rejects such a range and such a list
      const only = Object.fromEntries(organizations?.map((id, index) => [`:o${index}`, id]) ?? []);
      const found: AuditEntry[] = [];
      const pages = paginateQuery(
        { client: documents },
        {
          TableName: table,
          KeyConditionExpression: "pk = :pk AND sk BETWEEN :since AND :until",
          ExpressionAttributeValues: {
            ":pk": partition,
            ":since": sortable(since),
            ":until": sortable(until),
            ...only,
          },
          ...(organizations && { FilterExpression: `organizationId IN (${Object.keys(only).join(", ")})` }),
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: organizations ? filteredPage : limit,
        },
      );
      for await (const { Items = [] } of pages) {
        found.push(...Items.map(({ pk: _pk, sk: _sk, ...entry }) => entry as AuditEntry));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },
  };
}
