import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { DynamoTable } from "../sdk/clients.ts";
import type { Item } from "./run-items.ts";
import { shards } from "./table.ts";

/** Queries all shards of a list in parallel. `more`: values of `input` besides `:pk`. */
export async function fromShards(
  { documents, table }: DynamoTable,
  list: string,
  input: Partial<QueryCommandInput>,
  more: Item = {},
): Promise<Item[]> {
  const fromShard = async (_: unknown, shard: number): Promise<Item[]> => {
    const found: Item[] = [];
    const values = { ":pk": `${list}#${shard}`, ...more };
    const pages = paginateQuery(
      { client: documents },
      { ...input, TableName: table, ExpressionAttributeValues: values },
    );
    for await (const { Items = [] } of pages) found.push(...Items);
    return found;
  };
  return (await Promise.all(Array.from({ length: shards }, fromShard))).flat();
}
