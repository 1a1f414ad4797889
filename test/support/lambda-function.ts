import middy from "@middy/core";
import type { APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { ApiHandler, ApiRequest, ApiResponse } from "../../src/http/handler.ts";
import { type ApiGatewayEvent, apiGateway, type ApiMiddleware } from "../../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../../src/platform/aws/functions/middlewares.ts";

type Exported = (event: never, context: never, options: never) => unknown;

/** An exported handler with the types that it has for Lambda: its middlewares change those of events, contexts and responses. */
export function asLambda<Event, Result>(
  handler: Exported,
): (event: Event, context?: Partial<Context>) => Promise<Result> {
  const call = handler as unknown as (event: Event, context: Partial<Context>) => Promise<Result>;
  return (event, context = {}) => call(event, context);
}

/** The same for a function behind API Gateway. */
export function asApiFunction(
  handler: Exported,
): (event: ApiGatewayEvent) => Promise<APIGatewayProxyStructuredResultV2> {
  return asLambda(handler);
}

/** A function behind API Gateway, as in `lambdas/`. */
export function apiFunction(handler: ApiHandler, ...middlewares: ApiMiddleware[]): ReturnType<typeof asApiFunction> {
  const fn = middy<ApiRequest, ApiResponse>(noEarlyTimeout).use(apiGateway);
  for (const middleware of middlewares) fn.use(middleware);
  fn.handler(handler);
  return asApiFunction(fn);
}
