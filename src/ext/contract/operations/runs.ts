import { cursor, limit, runStatus, searchFilters } from "../../../http/rest/parameters.ts";
import { operation } from "./operation.ts";
import { idempotencyKey } from "./parameters.ts";

const tag = "runs";

export const runOperations = {
  create_run: operation("create_run", {
    at: "POST /runs",
    tag,
    summary: "Create a run",
    description:
      "Creates a run of the key's agent and answers at once; the run executes asynchronously. With `Idempotency-Key`, the request is safe to repeat. Without it, a repeated request creates a second run.",
    requestHeaders: idempotencyKey,
    request: "CreateRunRequest",
    success: {
      status: 201,
      description: "The run. With `Idempotent-Replayed: true`, an earlier request created it.",
      body: "Run",
      headers: ["Idempotent-Replayed"],
    },
    errors: [
      "template_mismatch",
      "agent_archived",
      "file_not_base64",
      "no_model",
      "invalid_argument",
      "upload_not_found",
      "upload_incomplete",
      "idempotency_key_reused",
      "webhook_not_configured",
      "too_many_runs",
      "dollars_spent",
      "storage_quota_exceeded",
    ],
  }),
  list_runs: operation("list_runs", {
    at: "GET /runs",
    tag,
    summary: "List runs",
    description:
      "Runs of the agent, newest first. A page can be short or empty and still have a next one, because a filter ends after a bounded number of runs.",
    query: { status: runStatus, ...searchFilters, cursor, limit: limit(50, 200) },
    success: { description: "A page.", body: "RunPage" },
    errors: ["invalid_argument"],
  }),
  get_run: operation("get_run", {
    at: "GET /runs/{run_id}",
    tag,
    summary: "Get a run",
    description:
      "A run with its output, its usage, the limits of its turn, and what it does now. To wait for the end, stream the events or poll every 3 to 10 seconds while `status` is `running`.",
    success: { description: "The run.", body: "RunDetail" },
    errors: ["run_not_found", "response_too_large"],
  }),
  create_input: operation("create_input", {
    at: "POST /runs/{run_id}/input",
    tag,
    summary: "Send input to a run",
    description:
      "Starts the next turn of a finished run. While a turn is in progress, the input is queued: at most 20. Not idempotent.",
    request: "CreateInputRequest",
    success: { status: 202, description: "The input is accepted.", body: "Run" },
    errors: [
      "run_not_found",
      "run_ended",
      "queue_full",
      "transcript_full",
      "agent_archived",
      "too_many_runs",
      "dollars_spent",
    ],
  }),
  stop_run: operation("stop_run", {
    at: "POST /runs/{run_id}/stop",
    tag,
    summary: "Stop a run",
    description: "Ends a run: its status becomes `terminated`, and queued inputs are dropped. Idempotent.",
    success: { description: "The run.", body: "Run" },
    errors: ["run_not_found", "run_ended"],
  }),
  delete_run: operation("delete_run", {
    at: "DELETE /runs/{run_id}",
    tag,
    summary: "Delete a run",
    description:
      "Stops a run and deletes its texts and files for good, if the agent file sets `allowDelete`. The response is what remains. Takes 3 seconds for a run with a turn in progress. Idempotent.",
    success: { description: "The run: `terminated`, without texts and files.", body: "Run" },
    errors: ["run_not_found", "delete_not_allowed", "modified_concurrently"],
  }),
};
