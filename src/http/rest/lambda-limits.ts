import { toResponse } from "../errors.ts";
import { limitResponseSize } from "../response-size.ts";
import { type ApiMiddleware, changesResponse } from "../server/lambda.ts";
import type { ApiErrors } from "./errors.ts";

/**
 * Bytes of the longest body that certainly fits into Lambda's event of 6 MiB. API Gateway escapes up to every character of
 * it (`lib/front-door/limits.ts`), and rejects longer ones itself.
 */
export const bodyBytesOnLambda = 3 * 1024 * 1024;

/** Bytes of files that fit into such a body as base64, with their names and the texts: whole MiB. */
export const inlineBytesOnLambda = Math.floor((bodyBytesOnLambda * 3) / 4 / 1024 ** 2) * 1024 ** 2;

/** Bytes of the largest response that certainly fits as base64 into Lambda's 6 MiB. */
export const binaryBytesOnLambda = 4 * 1024 * 1024;

/** Keeps responses within Lambda's limit. A longer one becomes an error. `remedy`: what the caller can do, by path. */
export function responseLimit(
  { format, error }: ApiErrors<"response_too_large">,
  remedy: (path: string) => string,
): ApiMiddleware {
  return changesResponse((request, response) =>
    limitResponseSize(request, response, ({ id, path }, cause) => {
      const text = `The response is larger than AWS Lambda allows (6 MB). ${remedy(path)}`;
      return toResponse(Object.assign(error("response_too_large", text), { cause }), id, format);
    }),
  );
}
