import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { compressResponse } from "../compression.ts";
import { allowOrigins } from "../cors.ts";
import type { ApiRequest, ApiResponse } from "../handler.ts";

/** The fields of an API Gateway event (payload format 2.0) that are read. Header names are lower case. */
export type ApiGatewayEvent = Pick<APIGatewayProxyEventV2, "headers" | "rawPath" | "isBase64Encoded"> &
  Partial<Pick<APIGatewayProxyEventV2, "body" | "pathParameters" | "rawQueryString">> & {
    requestContext: { requestId: string; http: { method: string } };
  };

/** A middleware of a Lambda function that handles requests. What is used last sees the response first. */
export type ApiMiddleware = MiddlewareObj<ApiRequest, ApiResponse>;

/**
 * Used first by each function behind API Gateway: its handler and its other middlewares get an `ApiRequest` instead of the event, and
 * return an `ApiResponse`.
 */
export const apiGateway: ApiMiddleware = {
  before(invocation: Request) {
    invocation.event = requestOf(invocation.event as ApiGatewayEvent);
  },
  async after(invocation: Request<unknown, unknown>) {
    invocation.response = await resultOf(invocation.response as ApiResponse);
  },
};

/** A middleware that changes each response. */
export function changesResponse(
  change: (request: ApiRequest, response: ApiResponse) => ApiResponse | Promise<ApiResponse>,
): ApiMiddleware {
  return {
    async after(invocation) {
      if (invocation.response) invocation.response = await change(invocation.event, invocation.response);
    },
  };
}

/** Compresses responses: see `compressResponse`. */
export const compression = changesResponse(compressResponse);

/** Lets pages of these origins read the responses (CORS). */
export function cors(origins: readonly string[]): ApiMiddleware {
  return changesResponse((request, response) => allowOrigins(request, response, origins));
}

function requestOf({
  headers,
  rawPath,
  rawQueryString = "",
  pathParameters,
  body = "",
  isBase64Encoded,
  requestContext,
}: ApiGatewayEvent): ApiRequest {
  return {
    id: requestContext.requestId,
    method: requestContext.http.method,
    path: rawPath,
    query: new URLSearchParams(rawQueryString),
    parameters: pathParameters ?? {},
    headers,
    parseBody: async (parse) => parse(isBase64Encoded ? Buffer.from(body, "base64") : body),
  };
}

async function resultOf({ status, headers, body }: ApiResponse): Promise<APIGatewayProxyStructuredResultV2> {
  if (typeof body === "string") return { statusCode: status, headers, body };
  if (typeof body === "function") {
    let sent = "";
    for await (const part of body(new AbortController().signal)) sent += String(part); // only texts are streamed here
    return { statusCode: status, headers, body: sent };
  }
  return { statusCode: status, headers, body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
}
