import { cursor, limit, parameter, runStatus, searchFilters } from "../../../http/rest/parameters.ts";
import { runOperations as shared } from "../../../run-api/operations.ts";
import { operation } from "./operation.ts";
import { createKey, templateId } from "./parameters.ts";

export const runOperations = {
  create_run: operation("create_run", {
    ...shared.create_run,
    description:
      "Creates a run of an agent of the key and answers at once; the run executes asynchronously. With `Idempotency-Key`, the request is safe to repeat. Without it, a repeated request creates a second run.",
    requestHeaders: createKey,
    success: {
      status: 201,
      description: "The run. With `Idempotent-Replayed: true`, an earlier request created it.",
      body: "CreatedRun",
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
      "result_schema_not_allowed",
      "too_many_runs",
      "dollars_spent",
      "storage_quota_exceeded",
    ],
  }),
  create_run_token: operation("create_run_token", {
    ...shared.create_run_token,
    errors: ["run_not_found", "run_ended", "invalid_argument"],
  }),
  list_run_tokens: operation("list_run_tokens", {
    ...shared.list_run_tokens,
    errors: ["run_not_found"],
  }),
  revoke_run_token: operation("revoke_run_token", {
    ...shared.revoke_run_token,
    description:
      "Revokes a token at once. Streams that it has open end. A token that is unknown or expired is revoked already.",
    errors: ["run_not_found", "run_ended"],
  }),
  list_runs: operation("list_runs", {
    ...shared.list_runs,
    description:
      "Runs of the key's agents, newest first. A page can be short or empty and still have a next one, because a filter ends after a bounded number of runs.",
    query: {
      template_id: templateId("all of them"),
      status: runStatus,
      ...searchFilters,
      cursor,
      limit: limit(50, 200),
    },
    errors: ["template_mismatch", "invalid_argument"],
  }),
  get_run: operation("get_run", {
    ...shared.get_run,
    acceptsRunToken: true,
    description:
      "A run with its output, its usage, the limits of its turn, and what it does now. To wait for the end, repeat the request with `wait` while `status` is `running` and `state` is not `waiting`, stream the events, or poll every 3 to 10 seconds with the `ETag` of the last response as `If-None-Match`.",
    query: {
      wait: parameter(
        "Seconds to wait while a turn is in progress. The answer comes when the turn has ended or begins to wait for answers, or after this time; for a run that waits already, after a second.",
        {
          type: "integer",
          minimum: 0,
          maximum: 20,
          default: 0,
        },
      ),
    },
    errors: ["run_not_found", "response_too_large"],
  }),
  update_run: operation("update_run", {
    ...shared.update_run,
    description: "Replaces the labels of a run, whatever its status. Idempotent.",
    errors: ["run_not_found", "run_ended"],
  }),
  create_input: operation("create_input", {
    ...shared.create_input,
    description:
      "Starts the next turn of a finished run. While a turn is in progress, the input is queued: at most 20. With `Idempotency-Key`, the request is safe to repeat. Without it, a repeated request is another input.",
    errors: [
      "invalid_argument",
      "idempotency_key_reused",
      "run_not_found",
      "run_ended",
      "queue_full",
      "transcript_full",
      "agent_archived",
      "too_many_runs",
      "dollars_spent",
    ],
  }),
  answer_call: operation("answer_call", {
    ...shared.answer_call,
    description:
      "Answers one of the `open_calls` of a run. The first answer wins; the same one again is accepted. API keys answer client tools and questions, and approvals if the agent file sets `answers.keysApprove`.",
    errors: [
      "run_not_found",
      "run_ended",
      "call_not_found",
      "already_answered",
      "arguments_changed",
      "approval_not_allowed",
      "file_not_base64",
      "invalid_argument",
      "too_many_runs",
      "dollars_spent",
    ],
  }),
  stop_run: operation("stop_run", {
    ...shared.stop_run,
    description: "Ends a run: its status becomes `terminated`, and queued inputs are dropped. Idempotent.",
    errors: ["run_not_found", "run_ended"],
  }),
  delete_run: operation("delete_run", {
    ...shared.delete_run,
    description:
      "Stops a run and deletes its texts and files for good, if the agent file sets `allowDelete`. The response is what remains. Takes 3 seconds for a run with a turn in progress. Idempotent.",
    success: { description: "The run: `terminated`, without texts and files.", body: "Run" },
    errors: ["run_not_found", "delete_not_allowed", "modified_concurrently"],
  }),
};
