import { operationsIn } from "./operation.ts";
import { limit, timeParameter } from "../../../http/rest/parameters.ts";

const operation = operationsIn("operators");

export const operatorOperations = {
  get_me: operation("get_me", {
    at: "GET /me",
    summary: "Get the caller",
    description: "The caller, and what the service is and accepts.",
    success: { description: "The caller.", body: "Me" },
  }),
  list_operators: operation("list_operators", {
    service: true,
    at: "GET /operators",
    summary: "List operators",
    description: "Operators with a token, oldest first, without the tokens.",
    success: { description: "The operators.", body: "OperatorPage" },
  }),
  create_operator: operation("create_operator", {
    service: true,
    at: "POST /operators",
    summary: "Create an operator",
    description: "Creates a token for this API. The service stores only its hash: the token itself is shown only once.",
    request: "CreateOperatorRequest",
    success: { status: 201, description: "The operator is created.", body: "CreatedOperator" },
    errors: ["organization_not_found", "invalid_argument"],
  }),
  revoke_operator: operation("revoke_operator", {
    service: true,
    at: "POST /operators/{operator_id}/revoke",
    summary: "Revoke an operator's token",
    description: "Requests with the token are rejected (401) from now on.",
    success: { description: "The operator.", body: "Operator" },
    errors: ["last_operator", "modified_concurrently"],
  }),
  list_audit: operation("list_audit", {
    at: "GET /audit",
    summary: "List what operators did",
    description:
      "Actions of operators, newest first. They contain no texts and no secrets. A caller with roles in single organizations sees only actions in those organizations, and none of releases that did not record the organization.",
    query: {
      since: timeParameter("Only actions at this time or later."),
      until: timeParameter("Only actions before this time."),
      limit: limit(50, 1_000),
    },
    success: { description: "The actions.", body: "AuditPage" },
  }),
};
