import { getHandler } from "../api/get.ts";
import { withinLambda } from "../api/lambda-answer.ts";
import { awsSettings, env } from "../env.ts";
import { documentClient, s3Client } from "../stores/aws/clients.ts";
import { awsStores } from "../stores/aws/index.ts";

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
