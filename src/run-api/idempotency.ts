import { ServiceError } from "../errors.ts";
import type { ApiRequest } from "../http/handler.ts";
import { idempotencyOf } from "../runs/idempotency.ts";
import type { Idempotency } from "../runs/types.ts";

/** The idempotency key of a request, with its body. Undefined: it has none. `runId`: of an input. Throws for an invalid key. */
export function idempotencyIn(
  { headers }: Pick<ApiRequest, "headers">,
  body: unknown,
  runId?: string,
): Idempotency | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return idempotencyOf(key, body, runId);
  const received = key.length > 255 ? `has ${key.length} characters` : `is ${JSON.stringify(key)}`;
  const message = `Idempotency-Key ${received}; expected 1 to 255 visible ASCII characters`;
  throw new ServiceError("invalid_argument", message);
}
