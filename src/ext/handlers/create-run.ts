import { ownSchema } from "../../accounts/result-schema.ts";
import { base64Uploads } from "../../http/validation/base64-files.ts";
import { chosenIn } from "../../http/rest/wire/run.ts";
import type { NewRun } from "../../runs/create-run.ts";
import { idempotencyIn } from "../../run-api/idempotency.ts";
import { requireFileCount } from "../../runs/files/new-files.ts";
import type { Call } from "../call.ts";

/** The run that a create asks for. Throws for what its schema cannot express. */
export function newRunOf({ request, body }: Call<"create_run">): NewRun {
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
