import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsStores } from "../../src/platform/aws/open-platform.ts";
import { newS3Client } from "../../src/platform/aws/s3/bucket.ts";
import { tuned } from "../../src/platform/aws/sdk/clients.ts";

const region = "eu-central-1";
const keys = ["pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk", "organizationId"];

/** The settings of all clients, but that one thread answers them all. */
function patient(clients: Parameters<typeof tuned>[0]) {
  return { ...tuned(clients, 0), requestHandler: { connectionTimeout: 60_000, requestTimeout: 60_000 } };
}

function key(hash: string, range: string) {
  return [
    { AttributeName: hash, KeyType: "HASH" as const },
    { AttributeName: range, KeyType: "RANGE" as const },
  ];
}

/** The stores of AWS on a server of moto, with a new table and bucket. The table is that of lib/data-stack.ts. */
export async function motoStores(endpoint: string) {
  const clients = { region, endpoint, credentials: { accessKeyId: "A", secretAccessKey: "s" } };
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(patient(clients)), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const s3 = newS3Client(patient(clients));
  await documents.send(
    new CreateTableCommand({
      TableName: "table",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: key("pk", "sk"),
      GlobalSecondaryIndexes: [
        { IndexName: "gsi1", KeySchema: key("gsi1pk", "gsi1sk"), Projection: { ProjectionType: "ALL" } },
        {
          IndexName: "gsi2",
          KeySchema: key("gsi2pk", "gsi2sk"),
          Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["id", "turn", "updatedAt"] },
        },
        { IndexName: "gsi3", KeySchema: key("organizationId", "gsi1sk"), Projection: { ProjectionType: "KEYS_ONLY" } },
      ],
    }),
  );
  await s3.send(
    new CreateBucketCommand({ Bucket: "bucket", CreateBucketConfiguration: { LocationConstraint: region } }),
  );
  return awsStores({ documents, s3: async () => s3, table: "table", bucket: "bucket" });
}
