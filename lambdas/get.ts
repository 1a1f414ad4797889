import { getHandler } from "../src/api/handlers/get.ts";
import { withinLambda } from "../src/api/handlers/response-size.ts";
import { awsSettings, env } from "../src/env.ts";
import { documentClient, s3Client } from "../src/platform/aws/clients.ts";
import { awsStores } from "../src/platform/aws/index.ts";

const settings = awsSettings();

export const handler = getHandler(
  awsStores({
    documents: documentClient(settings),
    s3: () => s3Client(settings),
    table: env("TABLE_NAME"),
    bucket: env("BUCKET_NAME"),
  }),
  withinLambda,
);
