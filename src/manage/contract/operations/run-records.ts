import { at } from "../../../http/rest/parameters.ts";
import { operationsIn } from "./operation.ts";

const operation = operationsIn("runs");
const readErrors = ["response_too_large", "history_failed", "history_unavailable"] as const;

export const runRecordOperations = {
  get_event: operation("get_event", {
    at: "GET /runs/{run_id}/events/{sequence}",
    summary: "Get an event",
    description: "One event, complete.",
    success: { description: "The event.", body: "Event" },
    errors: [...readErrors, "step_not_found"],
  }),
  get_model_request: operation("get_model_request", {
    at: "GET /runs/{run_id}/request",
    summary: "Get the model request of a step",
    description: "The request that the model was sent in a step, rebuilt from the run's record.",
    query: { at: { ...at, required: true, description: "The step, as `TURN.STEP`." } },
    success: { description: "The request.", body: "ModelRequest" },
    errors: [...readErrors, "step_not_found", "request_unknown"],
  }),
  get_sent_request: operation("get_sent_request", {
    at: "GET /runs/{run_id}/request/sent",
    summary: "Get the HTTP request of a step",
    description:
      "The HTTP request that the provider was sent in a step, without the key, and what it says about its response. Of a step " +
      "without an answer, the request of its last failed call. Rebuilt from the run's record; `exact` says whether it is the same.",
    query: { at: { ...at, required: true, description: "The step, as `TURN.STEP`." } },
    success: { description: "The request.", body: "SentRequest" },
    errors: [...readErrors, "step_not_found", "request_unknown"],
  }),
  export_run: operation("export_run", {
    at: "GET /runs/{run_id}/export",
    tag: "bundles",
    summary: "Export a run as a bundle",
    description:
      "Everything that is recorded of a run as one file: its events, what its turns ran on, and the contents of its files, without secrets. The same record makes the same bytes. A run with a turn in progress cannot be exported. On AWS, a bundle of more than about 4 MB is exported with the CLI.",
    success: {
      description: "The bundle, a ZIP archive.",
      media: { "application/zip": { type: "string", format: "binary" } },
    },
    errors: [...readErrors, "run_ended", "invalid_argument", "modified_concurrently"],
  }),
  import_run: operation("import_run", {
    at: "POST /agents/{agent_id}/runs/import",
    tag: "bundles",
    summary: "Import a run from a bundle",
    description:
      "Creates a read-only run of an agent from a bundle of this or another service. The run keeps the whole record, and its export is the bundle again. It is not visible to API keys, and nothing runs on the configurations in the bundle: forks and trials run on the definition of the agent. A bundle that an export cannot have written is rejected, and nothing of it is stored. The longest body is `body_bytes` of `GET /me`, and on AWS about 4 MB; the CLI imports larger bundles.",
    requestMedia: { "application/zip": { type: "string", format: "binary" } },
    success: { status: 201, description: "The run.", body: "Run" },
    errors: ["agent_deleted", "agent_archived", "invalid_argument", "storage_quota_exceeded", "modified_concurrently"],
  }),
};
