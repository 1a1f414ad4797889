import { historyFailed, ServiceError } from "../errors.ts";
import { acceptsCoding, gzipped, type WholeResponse } from "./compression.ts";
import { toResponse } from "./errors.ts";
import type { ApiRequest, ApiResponse } from "./handler.ts";
import { addRequestId } from "./middleware.ts";

/**
 * Bytes of a response's JSON that Lambda accepts: 6 MiB, with 4 KiB of margin. API Gateway turns a longer response into
 * a 500 with another body.
 */
const maxLambdaBytes = 6 * 1024 * 1024 - 4 * 1024;

/** The response instead of one that is too long for Lambda. `cause` has the sizes, for the log. */
export type RefuseResponse = (request: ApiRequest, cause: Error) => ApiResponse;

/**
 * Keeps responses within Lambda's limit; otherwise a run with a long transcript could never be read. A response over the
 * limit is compressed if the client accepts gzip. If it does not, or if the result is still too long, the response is
 * that of `refuse`: by default the contract's 502, and the log has the cause.
 */
export async function limitResponseSize(
  request: ApiRequest,
  response: ApiResponse,
  refuse: RefuseResponse = refuseHistory,
): Promise<ApiResponse> {
  const { body } = response;
  if (typeof body === "function") return response; // a stream bounds itself
  const whole = { ...response, body };
  const size = lambdaBytesOf(whole);
  if (size <= maxLambdaBytes) return response;
  // A range is one of the content as it is.
  const isAccepted = response.status !== 206 && acceptsCoding(request.headers["accept-encoding"], "gzip");
  const compressed = isAccepted ? await gzipped(whole) : undefined;
  if (compressed && lambdaBytesOf(compressed) <= maxLambdaBytes) return compressed;
  const reason = compressed ? `${lambdaBytesOf(compressed)} compressed` : "and cannot be sent as gzip";
  const cause = new Error(`the response has ${size} bytes, ${reason}; Lambda accepts ${maxLambdaBytes}`);
  return addRequestId(refuse(request, cause), request.id);
}

function refuseHistory({ id }: ApiRequest, cause: Error): ApiResponse {
  return toResponse(new ServiceError("history_failed", historyFailed, { cause }), id);
}

/** Bytes of the JSON that Lambda receives; a lower bound for a response that certainly fits. */
function lambdaBytesOf({ status, headers, body }: WholeResponse): number {
  // A UTF-16 unit of JSON text takes at most three bytes as a JSON string: control characters are escaped already.
  if (body.length * 3 <= maxLambdaBytes) return body.length;
  const text = typeof body === "string" ? body : Buffer.from(body).toString("base64");
  return Buffer.byteLength(JSON.stringify({ statusCode: status, headers, body: text, isBase64Encoded: true }));
}
