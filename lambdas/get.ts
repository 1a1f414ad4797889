import { compress } from "../src/api/handlers/compression.ts";
import { getHandler } from "../src/api/handlers/get.ts";
import { limitResponseSize } from "../src/api/handlers/response-size.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";
import { awsSettings } from "../src/env.ts";
import { readOnlyStores } from "../src/platform/aws/lambda.ts";

export const handler = lambdaHandler(limitResponseSize(compress(getHandler(readOnlyStores(awsSettings())))));
