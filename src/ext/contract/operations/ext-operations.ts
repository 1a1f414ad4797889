import { codesEverywhere, type ErrorCodeOf, errorsOf } from "../../../error-codes.ts";
import { operationsOf } from "../../../http/rest/operation.ts";
import { operationsFor } from "../../../operations/operations-for.ts";
import { templateId } from "../../../operations/parameters.ts";
import { basePath } from "../../path.ts";

/** Completes an operation of the extension API with the errors that each operation has. */
const operation = operationsOf<ErrorCodeOf<"ext">, typeof basePath>({
  basePath,
  errors: errorsOf("ext"),
  errorsEverywhere: codesEverywhere("ext"),
  credentialErrors: ["key_missing", "key_invalid", "key_expired", "agent_deleted"],
  notFound: { run_id: "run_not_found", template_id: "template_mismatch" },
  runTokenErrors: ["token_reads_one_run"],
});

/** The operations of the extension API by their `operationId`. */
export const operations = {
  get_agent: operation("get_agent", {
    at: "GET /agent",
    tag: "agent",
    summary: "Get the key's agent",
    description: "An agent of the key, and what this service accepts.",
    query: { template_id: templateId("the key's first one that is not deleted") },
    success: { description: "The agent.", body: "Agent" },
  }),
  ...operationsFor<"ext", typeof basePath>("ext", operation),
  create_upload: operation("create_upload", {
    at: "POST /uploads",
    tag: "uploads",
    summary: "Create an upload",
    description:
      "Registers a file that is too large for the body of a create, up to `max_upload_bytes` of the agent. Send its bytes to `url`, then name `upload_id` in a create within 24 hours. The same file has the same `upload_id`.",
    request: "CreateUploadRequest",
    success: { status: 201, description: "Where to send the file.", body: "Upload" },
    errors: ["template_mismatch", "upload_too_large", "agent_archived", "too_many_uploads", "storage_quota_exceeded"],
  }),
  receive_upload: operation("receive_upload", {
    at: "PUT /uploads/{upload_id}",
    tag: "uploads",
    summary: "Send the content of an upload",
    description:
      "Takes the bytes of the file. Only on one machine: on AWS, `url` of an upload is one of S3. Idempotent.",
    requestMedia: { "application/octet-stream": { type: "string", format: "binary" } },
    success: { status: 204, description: "The content is stored.", media: {} },
    errors: ["not_found", "agent_archived", "upload_not_found", "upload_mismatch"],
  }),
  get_openapi: operation("get_openapi", {
    at: "GET /openapi.json",
    tag: "description",
    summary: "Download the machine-readable description",
    description: "This document. Takes no key.",
    authenticated: false,
    success: { description: "The OpenAPI 3.1 document of this API." },
  }),
};

export type OperationName = keyof typeof operations;
