import { verdicts } from "../../../trials/names.ts";
import { cursor, idParameter, limit, parameter } from "../../../http/rest/parameters.ts";
import { operationsIn } from "./operation.ts";

const operation = operationsIn("trials");
const trial = { description: "The trial.", body: "Trial" } as const;
const turnNumber = { type: "integer", minimum: 1, maximum: 1_000_000_000 } as const;

/** A change of an agent, tried on its recorded runs before it is saved. */
export const trialOperations = {
  create_trial: operation("create_trial", {
    at: "POST /agents/{agent_id}/trials",
    summary: "Create a trial",
    description:
      "Selects recorded turns of the agent for a draft or a version of it. The response says which cannot be tried and why, what the trial will cost, and what it sends to which host. Nothing is called before the trial is started.",
    request: "CreateTrialRequest",
    success: { status: 201, description: "The trial, not started.", body: "Trial" },
    errors: [
      "agent_deleted",
      "version_not_found",
      "run_not_found",
      "invalid_argument",
      "no_model",
      "response_too_large",
    ],
  }),
  list_trials: operation("list_trials", {
    at: "GET /agents/{agent_id}/trials",
    summary: "List trials",
    description: "Trials of an agent, newest first.",
    query: { cursor, limit: limit(20, 100) },
    success: { description: "A page.", body: "TrialHeadPage" },
    errors: ["invalid_argument"],
  }),
  get_trial: operation("get_trial", {
    at: "GET /trials/{trial_id}",
    summary: "Get a trial",
    description: "A trial with its estimate and what its cases say so far.",
    success: trial,
  }),
  start_trial: operation("start_trial", {
    at: "POST /trials/{trial_id}/start",
    summary: "Start a trial",
    description:
      "Tries the cases. From here on, models are called: inputs and files of the recorded runs are sent to the hosts of `estimate.sends`. Starting a trial again changes nothing.",
    success: trial,
    errors: ["trial_mismatch", "modified_concurrently"],
  }),
  stop_trial: operation("stop_trial", {
    at: "POST /trials/{trial_id}/stop",
    summary: "Stop a trial",
    description: "Starts no further case, and stops those in progress. What was found stays.",
    success: trial,
    errors: ["modified_concurrently"],
  }),
  delete_trial: operation("delete_trial", {
    at: "DELETE /trials/{trial_id}",
    summary: "Delete a trial",
    description:
      "Deletes the trial with the runs of its attempts. The recorded runs stay. A trial in progress must be stopped before.",
    success: { status: 204, description: "The trial is deleted.", media: {} },
    errors: ["trial_running", "modified_concurrently"],
  }),
  list_trial_cases: operation("list_trial_cases", {
    at: "GET /trials/{trial_id}/cases",
    summary: "List the cases of a trial",
    description:
      "Those that left the record first, then failed, broken and different ones, then the others; each in the order of their numbers.",
    query: { verdict: parameter("Only cases with this verdict.", { type: "string", enum: verdicts }) },
    success: { description: "The cases.", body: "TrialCasePage" },
  }),
  get_trial_case: operation("get_trial_case", {
    at: "GET /trials/{trial_id}/cases/{number}",
    summary: "Get a case of a trial",
    description: "A case with the outputs and the tool calls of the recorded turn and of the candidate, side by side.",
    success: { description: "The case.", body: "TrialCaseDetail" },
    errors: ["case_not_found"],
  }),
  set_verdict: operation("set_verdict", {
    at: "PUT /trials/{trial_id}/cases/{number}/verdict",
    summary: "Judge a case",
    description: "Sets a person's verdict in place of the computed one.",
    request: "SetVerdictRequest",
    success: { description: "The case.", body: "TrialCase" },
    errors: ["case_not_found", "modified_concurrently"],
  }),
  compare_runs: operation("compare_runs", {
    at: "GET /runs/{run_id}/comparison",
    summary: "Compare two turns",
    description:
      "Two turns side by side, of two runs or of one: their outputs, files and tool calls. A turn in progress counts with what is recorded of it.",
    query: {
      turn: parameter("The turn. Default: the last one.", turnNumber),
      other_run_id: { ...idParameter("The run to compare with."), required: true },
      other_turn: parameter("The turn of the other run. Default: the last one.", turnNumber),
    },
    success: { description: "The comparison.", body: "RunComparison" },
    errors: ["step_not_found", "history_failed", "history_unavailable", "response_too_large"],
  }),
};
