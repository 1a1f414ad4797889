import { type ErrorEntry, type SharedErrorCode, sharedErrors } from "../../api/rest/error-table.ts";
import type { ServiceErrorCode } from "../../errors.ts";

/** A code of the management API itself, next to those of the use cases. */
type ManageErrorCode = SharedErrorCode | "forbidden" | "request_unknown" | "response_too_large";

/** The errors of the management API: the value of `code`, with the HTTP status. */
export const errors = {
  ...sharedErrors,
  key_missing: {
    status: 401,
    when: "No token in the header `Authorization`.",
    detail: "Missing operator token (ao_…)",
  },
  key_invalid: {
    status: 401,
    when: "The token is unknown or revoked, or it is an API key of an agent.",
    detail: "Invalid operator token: it is unknown or was revoked",
  },
  key_expired: {
    status: 401,
    when: "The token has expired.",
    detail: "The operator token expired at 2026-12-01T00:00:00.000Z; ask an operator for another one",
  },
  forbidden: {
    status: 403,
    when: "The caller has the role `viewer`, which may only read, or none in all organizations where that is required; or a page of another site sent the request.",
    detail: "This token may only read. Ask an operator for a token with the role operator.",
  },
  organization_not_found: {
    status: 404,
    when: "The organization does not exist.",
    detail: 'organization "…" does not exist',
  },
  agent_not_found: { status: 404, when: "The agent does not exist.", detail: 'agent "…" does not exist' },
  version_not_found: {
    status: 404,
    when: "The agent has no such version.",
    detail: "agent … has no version 7; its latest is 3",
  },
  key_not_found: { status: 404, when: "The key does not exist.", detail: 'key "…" does not exist' },
  operator_not_found: { status: 404, when: "The operator does not exist.", detail: 'operator "…" does not exist' },
  webhook_not_found: {
    status: 404,
    when: "The agent has no webhook.",
    detail: "agent … has no webhook; set one first",
  },
  delivery_not_found: { status: 404, when: "The delivery does not exist.", detail: 'delivery "…" does not exist' },
  request_unknown: {
    status: 409,
    when: "The request of this step cannot be rebuilt.",
    detail: "An earlier release recorded this step, without its configuration.",
  },
  last_operator: {
    status: 409,
    when: "The token is the last valid one with the role `operator`.",
    detail:
      "mira (ao_9sKd02) is the last valid token with the role operator: nobody could manage the service after it.",
  },
  agent_deleted: {
    status: 409,
    when: "The agent is deleted. A deleted agent cannot be changed or restored.",
    detail: "agent … is deleted; a deleted agent cannot be changed or restored",
  },
  modified: {
    status: 412,
    when: "The agent has another revision than the one in `If-Match`. Read it again, and apply your change to that.",
    detail: "agent … has the revision 5, not 4: it was changed since; read it again",
  },
  response_too_large: {
    status: 413,
    when: "The API is served by AWS Lambda, whose responses have at most 6 MB, which is a file of 4.5 MB. `detail` names a command for larger files.",
    detail: "The response is larger than AWS Lambda allows (6 MB).",
  },
} as const satisfies Record<Exclude<ServiceErrorCode, OtherCallersCode> | ManageErrorCode, ErrorEntry>;

/** Operators pass whole ids here. The other codes are those of clients with an agent's key. */
type OtherCallersCode =
  | "key_ambiguous"
  | "operator_ambiguous"
  | "template_mismatch"
  | "delete_not_allowed"
  | "upload_too_large"
  | "too_many_uploads"
  | "upload_not_found"
  | "upload_incomplete"
  | "upload_mismatch"
  | "idempotency_key_reused"
  | "webhook_not_configured";

/** The value of `code` in an error's body. */
export type ErrorCode = keyof typeof errors;
