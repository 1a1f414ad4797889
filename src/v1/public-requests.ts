import { type CreateBody, PublicAgentFileInput, PublicCreateAgentRequest } from "./contract.ts";
import { validateCreateRequest } from "../../dist/generated/v1.js";
import type { Issues } from "../http/validation/issue.ts";
import { canonicalUuid, uuidPattern } from "../http/validation/uuid-errors.ts";
import { issuesOf, notUnicode, uuidIssue } from "../http/validation/violation-issues.ts";

const fieldOrder = [PublicCreateAgentRequest, PublicAgentFileInput].flatMap(({ properties }) =>
  Object.keys(properties),
);

/** Validates a parsed body against `PublicCreateAgentRequest`. Returns all issues, in the order of the fields. */
export function validateCreate(body: unknown): { value: CreateBody } | Issues {
  if (!validateCreateRequest(body)) {
    const issues = issuesOf(validateCreateRequest.errors, "body", fieldOrder);
    validateCreateRequest.errors = null; // they reference the whole body
    return { issues };
  }
  const { name, template_id, input_text, files } = body as CreateBody;
  const value: CreateBody = { name, template_id: canonicalUuid(template_id) };
  if (input_text !== undefined) value.input_text = input_text;
  if (files !== undefined) value.files = files;
  return { value };
}

/** Validates the percent-decoded `agent_id` of a path. Returns it in lower case with hyphens. */
export function validateRunId(raw: string): { value: string } | Issues {
  if (uuidPattern.test(raw)) return { value: canonicalUuid(raw) };
  const loc = ["path", "agent_id"];
  return { issues: [raw.isWellFormed() ? uuidIssue(loc, raw) : notUnicode(loc, raw)] };
}
