import type { ServiceErrorCode } from "../../errors.ts";
import type { ValidationIssue } from "../validation/issues.ts";

/** The HTTP status of every error code (specification section 7.2). The codes of operators never reach HTTP today. */
export const statusOf: Record<ServiceErrorCode, number> = {
  key_missing: 401,
  key_invalid: 401,
  template_mismatch: 403,
  agent_deleted: 404,
  run_not_found: 404,
  agent_archived: 409,
  files_too_large: 413,
  file_not_base64: 422,
  no_model: 422,
  history_failed: 502,
  history_unavailable: 503,
  // Operators only:
  organization_not_found: 404,
  agent_not_found: 404,
  key_not_found: 404,
  key_ambiguous: 409,
  modified_concurrently: 409,
  queue_full: 409,
  run_ended: 409,
  invalid_argument: 422,
};

/** A request that does not fit the schema: 422 with one item per violation. */
export class InvalidRequest extends Error {
  readonly issues: ValidationIssue[];

  constructor(issues: ValidationIssue[]) {
    super(`${issues.length} schema violations`);
    this.name = "InvalidRequest";
    this.issues = issues;
  }
}
