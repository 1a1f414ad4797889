import { operation } from "./operation.ts";

const tag = "uploads";

export const uploadOperations = {
  create_upload: operation("create_upload", {
    at: "POST /uploads",
    tag,
    summary: "Create an upload",
    description:
      "Registers a file that is too large for the body of a create, up to `max_upload_bytes` of the agent. Send its bytes to `url`, then name `upload_id` in a create within 24 hours. The same file has the same `upload_id`.",
    request: "CreateUploadRequest",
    success: { status: 201, description: "Where to send the file.", body: "Upload" },
    errors: ["template_mismatch", "upload_too_large", "agent_archived", "too_many_uploads", "storage_quota_exceeded"],
  }),
  receive_upload: operation("receive_upload", {
    at: "PUT /uploads/{upload_id}",
    tag,
    summary: "Send the content of an upload",
    description:
      "Takes the bytes of the file. Only on one machine: on AWS, `url` of an upload is one of S3. Idempotent.",
    requestMedia: { "application/octet-stream": { type: "string", format: "binary" } },
    success: { status: 204, description: "The content is stored.", media: {} },
    errors: ["not_found", "agent_archived", "upload_not_found", "upload_mismatch"],
  }),
};
