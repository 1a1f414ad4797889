import { operationsIn } from "./operation.ts";

const operation = operationsIn("trials");

/** Turns of an agent that are kept to try changes on them. */
export const suiteOperations = {
  list_suites: operation("list_suites", {
    at: "GET /agents/{agent_id}/suites",
    summary: "List suites",
    description: "Suites of an agent, newest first.",
    success: { description: "All suites.", body: "SuiteHeadPage" },
  }),
  create_suite: operation("create_suite", {
    at: "POST /agents/{agent_id}/suites",
    summary: "Create a suite",
    description: "Creates a suite without cases.",
    request: "CreateSuiteRequest",
    success: { status: 201, description: "The suite.", body: "Suite" },
    errors: ["agent_deleted", "suite_exists", "invalid_argument"],
  }),
  get_suite: operation("get_suite", {
    at: "GET /agents/{agent_id}/suites/{suite}",
    summary: "Get a suite",
    description: "A suite with its cases.",
    success: { description: "The suite.", body: "Suite" },
  }),
  delete_suite: operation("delete_suite", {
    at: "DELETE /agents/{agent_id}/suites/{suite}",
    summary: "Delete a suite",
    description:
      "Deletes the suite with its cases, and what trials have recorded of them. The runs whose turns were copied stay.",
    success: { status: 204, description: "The suite is deleted.", media: {} },
  }),
  add_cases: operation("add_cases", {
    at: "POST /agents/{agent_id}/suites/{suite}/cases",
    summary: "Keep turns in a suite",
    description:
      "Copies turns with the conversation that they began with, their record and their files. A copy does not expire. A turn that cannot be kept, or not be redacted, is in `refused`; the others are kept.",
    request: "AddCasesRequest",
    success: { description: "What was kept, and what was not.", body: "AddedCases" },
    errors: [
      "agent_deleted",
      "run_not_found",
      "trial_not_found",
      "case_not_found",
      "invalid_argument",
      "modified_concurrently",
    ],
  }),
  remove_case: operation("remove_case", {
    at: "DELETE /agents/{agent_id}/suites/{suite}/cases/{case_id}",
    summary: "Remove a case from a suite",
    description: "Deletes the copy, and what trials have recorded of it.",
    success: { status: 204, description: "The case is deleted.", media: {} },
    errors: ["case_not_found"],
  }),
};
