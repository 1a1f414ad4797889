import type { RunErrorCode } from "../../runs/errors.ts";
import type { ValidationIssue } from "../validation/issues.ts";

/** The status of every refusal (specification section 7.2). The last three reach operators only, never HTTP. */
export const statusOf: Record<RunErrorCode, number> = {
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
  queue_full: 409,
  run_changed: 409,
  run_ended: 409,
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
