import { parseArgs } from "node:util";
import { ConditionalCheckFailedException, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateQuery, paginateScan, PutCommand } from "@aws-sdk/lib-dynamodb";

const usage = `npm run -s restore-items -- --from RESTORED_TABLE --to TABLE [--key PARTITION] [--overwrite] [--dry-run]

Copy items from a restored table to the service's table.

  --from TABLE      restored table
  --to TABLE        the service's table
  --key PARTITION   copy only this partition, such as RUN#6affadb2-… or AGENT#… (default: all)
  --overwrite       replace existing items (default: keep them)
  --dry-run         count items, write nothing`;

const parallel = 25;

try {
  await main();
} catch (error) {
  console.error(`restore-items: ${(error as Error).message.replaceAll("\n", " ")}`);
  process.exit(1);
}

async function main(): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      to: { type: "string" },
      key: { type: "string" },
      overwrite: flag,
      "dry-run": flag,
      help: flag,
    },
  });
  if (values.help) return console.log(usage);
  const { from, to, key, overwrite, "dry-run": dryRun } = values;
  if (from === undefined || to === undefined || from === to) {
    throw new Error("--from and --to must name two different tables; see --help");
  }
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const counts = { found: 0, written: 0, kept: 0 };

  async function copy(item: Record<string, unknown>): Promise<void> {
    counts.found++;
    if (dryRun) return;
    const condition = overwrite ? {} : { ConditionExpression: "attribute_not_exists(pk)" };
    try {
      await documents.send(new PutCommand({ TableName: to, Item: item, ...condition }));
      counts.written++;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      counts.kept++;
    }
  }

  const pages =
    key === undefined
      ? paginateScan({ client: documents }, { TableName: from })
      : paginateQuery(
          { client: documents },
          {
            TableName: from,
            KeyConditionExpression: "pk = :pk",
            ExpressionAttributeValues: { ":pk": key },
          },
        );
  for await (const { Items = [] } of pages) {
    for (let first = 0; first < Items.length; first += parallel) {
      await Promise.all(Items.slice(first, first + parallel).map(copy));
    }
  }
  documents.destroy();
  console.log(
    `${counts.found} items found in ${from}; ${counts.written} written to ${to}, ${counts.kept} existing items kept`,
  );
}
