import { compress } from "../src/http/compression.ts";
import { getHandler } from "../src/v1/get.ts";
import { limitResponseSize } from "../src/http/response-size.ts";
import { lambdaHandler } from "../src/http/server/lambda.ts";
import { awsSettings } from "../src/env.ts";
import { readOnlyStores } from "../src/platform/aws/functions/lambda.ts";

export const handler = lambdaHandler(limitResponseSize(compress(getHandler(readOnlyStores(awsSettings())))));
