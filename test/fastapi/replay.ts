import { validateCreate, validateRunId } from "../../src/v1/public-requests.ts";
import { parseJsonBody } from "../../src/http/validation/parse-json.ts";
import type { Case } from "./cases.ts";

/** A response as record.py stores it: its status, and its body if that is JSON. */
export interface Answer {
  status: number;
  body: unknown;
}

/** The response of this service to a case, in the form of record.py. */
export async function answer(one: Case): Promise<Answer> {
  if ("path" in one) {
    const checked = validateRunId(decodeURIComponent(one.path));
    if ("issues" in checked) return invalid(checked.issues);
    return { status: 200, body: { agent_id: checked.value } };
  }
  const raw = "base64" in one ? Buffer.from(one.base64, "base64") : Buffer.from(one.body);
  const contentType = one.contentType === undefined ? "application/json" : one.contentType;
  const parsed = await parseJsonBody(raw, contentType ?? undefined);
  const checked = "issues" in parsed ? parsed : validateCreate(parsed.value);
  if ("issues" in checked) return invalid(checked.issues);
  return { status: 201, body: { template_id: checked.value.template_id } };
}

/** A recorded response without inputs whose JSON is longer than 1,000 characters, which this service omits. */
export function withoutLongInputs({ status, body }: Answer): Answer {
  const { detail } = body as { detail?: unknown };
  if (!Array.isArray(detail)) return { status, body };
  const issues = structuredClone(detail) as { input?: unknown }[];
  for (const issue of issues) if ([...JSON.stringify(issue.input)].length > 1_000) delete issue.input;
  return { status, body: { detail: issues } };
}

function invalid(issues: unknown): Answer {
  return { status: 422, body: { detail: JSON.parse(JSON.stringify(issues)) as unknown } };
}
