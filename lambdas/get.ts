import { getHandler } from "../src/api/handlers/get.ts";
import { limitResponseSize } from "../src/api/handlers/response-size.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";
import { awsSettings, env } from "../src/env.ts";
import { documentClient, s3Client } from "../src/platform/aws/clients.ts";
import { awsStores } from "../src/platform/aws/index.ts";

const settings = awsSettings();

const stores = awsStores({
  documents: documentClient(settings),
  s3: () => s3Client(settings),
  table: env("TABLE_NAME"),
  bucket: env("BUCKET_NAME"),
});

export const handler = lambdaHandler(limitResponseSize(getHandler(stores)));
