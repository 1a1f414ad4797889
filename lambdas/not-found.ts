import middy from "@middy/core";
import type { ApiRequest, ApiResponse } from "../src/http/handler.ts";
import { apiGateway } from "../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { isMcpPath, mcpPath } from "../src/mcp/path.ts";
import { notFoundHandler } from "../src/v1/not-found.ts";

const notFound = notFoundHandler();

/** API Gateway has no route for `/mcp/`: clients repeat the request at the address without the slash. */
export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .handler(async (request) => {
    if (!isMcpPath(request.path)) return notFound(request);
    const location = request.query.size > 0 ? `${mcpPath}?${request.query.toString()}` : mcpPath;
    return { status: 308, headers: { location }, body: "" };
  });
