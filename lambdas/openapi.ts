import middy from "@middy/core";
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { apiGateway, compression } from "../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { openapiHandler } from "../src/v1/openapi.ts";

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .use(compression)
  .handler(openapiHandler());
