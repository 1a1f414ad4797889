import middy from "@middy/core";
import { awsSettings } from "../src/env.ts";
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { limitResponseSize } from "../src/http/response-size.ts";
import { apiGateway, changesResponse, compression } from "../src/http/server/lambda.ts";
import { readOnlyStores } from "../src/platform/aws/functions/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { getHandler } from "../src/v1/get.ts";

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .use(changesResponse(limitResponseSize))
  .use(compression)
  .handler(getHandler(readOnlyStores(awsSettings())));
