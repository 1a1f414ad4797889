import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { itemsOfExport, itemsOfTable } from "./restore/items.ts";
import { writeItems } from "./restore/write-items.ts";

const usage = `npm run -s restore-items -- --from SOURCE --to TABLE [--key PARTITION] [--overwrite] [--dry-run]

Copy items from a restored table, or from an export of a table, to the service's table.

  --from SOURCE     restored table, or the folder of a full export: s3://BUCKET/AWSDynamoDB/EXPORT
  --to TABLE        the service's table
  --key PARTITION   copy only this partition, such as RUN#6affadb2-… or AGENT#… (default: all)
  --overwrite       replace existing items (default: keep them); 25 times fewer calls
  --dry-run         count items, write nothing`;

/** Items between two lines about the progress. */
const progress = 100_000;

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
  const client = new DynamoDBClient({ maxAttempts: 20, retryMode: "adaptive" }); // a new table is throttled
  const pages = from.startsWith("s3://") ? itemsOfExport(new S3Client({}), from, key) : itemsOfTable(client, from, key);
  const begun = performance.now();
  let printed = 0;
  const { found, written, kept } = await writeItems(client, to, pages, {
    overwrite,
    dryRun,
    onProgress({ found: soFar }) {
      if (soFar < printed + progress) return;
      printed = soFar;
      console.error(`${soFar} items found, ${Math.round(soFar / seconds())} a second`);
    },
  });
  client.destroy();
  console.log(
    `${found} items found in ${from}; ${written} written to ${to}, ${kept} existing items kept, in ${seconds().toFixed(1)} s`,
  );

  function seconds(): number {
    return (performance.now() - begun) / 1_000;
  }
}
