import { type ErrorEntry, type SharedErrorCode, sharedErrors } from "../../api/rest/error-table.ts";
import type { ServiceErrorCode } from "../../errors.ts";

/** A code of the extension API itself, next to those of the use cases. */
type ExtErrorCode = SharedErrorCode | "response_too_large";

/** The errors of the extension API: the value of `code`, with the HTTP status. Those of v1 have v1's status and text. */
export const errors = {
  ...sharedErrors,
  key_missing: {
    status: 401,
    when: "No key in the headers `Authorization` and `X-API-Key`.",
    detail: "Missing API key",
  },
  key_invalid: { status: 401, when: "The key is unknown or disabled.", detail: "Invalid API key" },
  key_expired: {
    status: 401,
    when: "The key has expired.",
    detail: "The API key expired at 2026-12-01T00:00:00.000Z; create another one",
  },
  template_mismatch: {
    status: 403,
    when: "`template_id` differs from the key's agent.",
    detail: "API key is not valid for the requested template",
  },
  delete_not_allowed: {
    status: 403,
    when: "The agent does not let programs delete runs.",
    detail: "Runs of this agent cannot be deleted with an API key: its agent file does not set allowDelete to true",
  },
  agent_deleted: {
    status: 404,
    when: "The key's agent was deleted. Its keys are accepted nowhere.",
    detail: "Agent template not found",
  },
  response_too_large: {
    status: 413,
    when: "The API is served by AWS Lambda, whose responses have at most 6 MB. Ask for less at once.",
    detail: "The response is larger than AWS Lambda allows (6 MB).",
  },
  upload_too_large: {
    status: 413,
    when: "The file is larger than `max_upload_bytes` of the agent.",
    detail: "The file has 209715200 bytes; this service accepts at most 104857600. Split or compress it.",
  },
  too_many_uploads: {
    status: 429,
    when: "The agent has too many pending uploads, or too many bytes of them (`pending_uploads` of the agent). An upload expires 24 hours after it was registered.",
    detail: "the agent has 512 pending uploads of 53687091200 bytes; at most 20000 of 53687091200 bytes are accepted",
  },
  upload_not_found: {
    status: 422,
    when: "The upload does not exist or has expired.",
    detail: 'Upload "…" does not exist or has expired; create a new one',
  },
  upload_incomplete: {
    status: 422,
    when: "The content of the upload has not arrived.",
    detail: 'The content of upload … ("report.csv") has not arrived; send it with PUT first',
  },
  upload_mismatch: {
    status: 422,
    when: "The content has another size or SHA-256 than the upload was created for.",
    detail: "The content has 12 bytes; the upload was created for 4096",
  },
  idempotency_key_reused: {
    status: 422,
    when: "An earlier create with the same `Idempotency-Key` had another body. Use a new key for another run.",
    detail: "the idempotency key belongs to an earlier create with another body; use a new key for a new run",
  },
  webhook_not_configured: {
    status: 422,
    when: "`webhook` is set, but the agent has no webhook whose secret could sign the messages.",
    detail:
      "the agent has no webhook secret, so messages to the run's URL cannot be signed; an operator creates one with `webhook set`",
  },
} as const satisfies Record<Exclude<ServiceErrorCode, OperatorErrorCode> | ExtErrorCode, ErrorEntry>;

/** Errors that only operators get. */
type OperatorErrorCode =
  | "organization_not_found"
  | "agent_not_found"
  | "version_not_found"
  | "key_not_found"
  | "key_ambiguous"
  | "operator_not_found"
  | "operator_ambiguous"
  | "last_operator"
  | "webhook_not_found"
  | "delivery_not_found"
  | "modified";

/** The value of `code` in an error's body. */
export type ErrorCode = keyof typeof errors;
