import { ownSchema } from "../accounts/result-schema.ts";
import { ServiceError } from "../errors.ts";
import type { ApiRequest } from "../http/handler.ts";
import { type Choices, chosenIn } from "../http/rest/wire/run.ts";
import { base64Uploads, type FileInput } from "../http/validation/base64-files.ts";
import type { NewRun } from "../runs/begin/create-run.ts";
import { requireFileCount } from "../runs/files/new-files.ts";
import { idempotencyOf } from "../runs/begin/idempotency.ts";
import type { Labels } from "../runs/labels.ts";
import type { Idempotency } from "../runs/run-types.ts";

/** The body of a create. Only the extension API has `uploads`. */
export interface NewRunBody extends Choices {
  name: string;
  input_text?: string | null;
  files?: FileInput[];
  uploads?: string[];
  labels?: Labels;
  webhook?: { url: string };
  result_schema?: Record<string, unknown>;
}

/** The run that a create asks for. Throws for what its schema cannot express. */
export function newRunOf(request: Pick<ApiRequest, "headers">, body: NewRunBody): NewRun {
  const { name, input_text, files = [], uploads = [], labels, webhook, result_schema } = body;
  requireFileCount(files.length + uploads.length);
  const idempotency = idempotencyIn(request, body); // before `base64Uploads`, which empties it
  return {
    name,
    text: input_text ?? undefined,
    files: base64Uploads(files),
    uploads,
    labels,
    webhook,
    resultSchema: result_schema && ownSchema(result_schema),
    chosen: chosenIn(body),
    idempotency,
  };
}

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
