import type { Principal } from "../../accounts/authenticate.ts";
import { requireUsableSchema } from "../../accounts/result-schema.ts";
import { base64Uploads } from "../../http/validation/base64-files.ts";
import { ServiceError } from "../../errors.ts";
import type { NewRun } from "../../runs/create-run.ts";
import { idempotencyIn } from "../../run-api/idempotency.ts";
import { requireFileCount } from "../../runs/files/new-files.ts";
import type { Call } from "../call.ts";

/** The run that a create asks for. Throws for what its schema cannot express. */
export function newRunOf({ request, principal, body }: Call<"create_run">): NewRun {
  const { name, template_id, input_text, files = [], uploads = [], labels, webhook, result_schema } = body;
  requireTemplate(principal, template_id);
  requireFileCount(files.length + uploads.length);
  const idempotency = idempotencyIn(request, body); // before `base64Uploads`, which empties it
  return {
    name,
    text: input_text ?? undefined,
    files: base64Uploads(files),
    uploads,
    labels,
    webhook,
    resultSchema: result_schema && { schema: result_schema, check: requireUsableSchema },
    idempotency,
  };
}

function requireTemplate({ agentId }: Principal, templateId: string | undefined): void {
  if (templateId === undefined || templateId === agentId) return;
  throw new ServiceError("template_mismatch", "API key is not valid for the requested template");
}
