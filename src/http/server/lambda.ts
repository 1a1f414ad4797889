import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { ApiHandler } from "../handler.ts";

/** The fields of an API Gateway event (payload format 2.0) that are read. Header names are lower case. */
export type ApiGatewayEvent = Pick<APIGatewayProxyEventV2, "headers" | "rawPath" | "isBase64Encoded"> &
  Partial<Pick<APIGatewayProxyEventV2, "body" | "pathParameters" | "rawQueryString">> & {
    requestContext: { requestId: string; http: { method: string } };
  };

/** A handler as a Lambda function behind API Gateway. */
export function lambdaHandler(
  handler: ApiHandler,
): (event: ApiGatewayEvent) => Promise<APIGatewayProxyStructuredResultV2> {
  return async ({
    headers,
    rawPath,
    rawQueryString = "",
    pathParameters,
    body: text = "",
    isBase64Encoded,
    requestContext,
  }) => {
    const { status, body, ...response } = await handler({
      id: requestContext.requestId,
      method: requestContext.http.method,
      path: rawPath,
      query: new URLSearchParams(rawQueryString),
      parameters: pathParameters ?? {},
      headers,
      parseBody: async (parse) => parse(isBase64Encoded ? Buffer.from(text, "base64") : text),
    });
    if (typeof body === "string") return { statusCode: status, headers: response.headers, body };
    if (typeof body === "function") {
      let sent = "";
      for await (const part of body(new AbortController().signal)) sent += String(part); // only texts are streamed here
      return { statusCode: status, headers: response.headers, body: sent };
    }
    const base64 = Buffer.from(body).toString("base64");
    return { statusCode: status, headers: response.headers, body: base64, isBase64Encoded: true };
  };
}
