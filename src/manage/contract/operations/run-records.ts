import { at } from "../../../http/rest/parameters.ts";
import { eventsOrStream, runOperations as shared } from "../../../run-api/operations.ts";
import { operation } from "./operation.ts";

const tag = "runs";
const readErrors = ["run_not_found", "response_too_large", "history_failed", "history_unavailable"] as const;
const stream =
  "Server-sent events: `retry` with the milliseconds until the client connects again; then `event: run` with a RunDetail at the start and on each change of it; `event: event` with an Event and its number as `id`; `event: delta` with text that a model writes, before its answer is recorded (`turn`, `step`, `text` from character `from` on; 0: it begins, or begins again; after the end of what was received: the text between is missing); `event: thinking` with what the model thinks before that text, in the same form, if the agent records it (`recordReasoning`); and `event: output` with what a call of the current turn has printed so far (`step`, `call`, `text`: its end, `characters`: all). The response may end at any time: connect again with `Last-Event-ID`.";

export const runRecordOperations = {
  list_events: operation("list_events", {
    ...shared.list_events,
    description:
      "Events in the order of recording. With `Accept: text/event-stream`, a stream of events as they are recorded.",
    success: eventsOrStream(stream),
    errors: [...readErrors, "invalid_argument"],
  }),
  get_event: operation("get_event", {
    at: "GET /runs/{run_id}/events/{sequence}",
    tag,
    summary: "Get an event",
    description: "One event, complete.",
    success: { description: "The event.", body: "Event" },
    errors: [...readErrors, "step_not_found"],
  }),
  get_model_request: operation("get_model_request", {
    at: "GET /runs/{run_id}/request",
    tag,
    summary: "Get the model request of a step",
    description: "The request that the model was sent in a step, rebuilt from the run's record.",
    query: { at: { ...at, required: true, description: "The step, as `TURN.STEP`." } },
    success: { description: "The request.", body: "ModelRequest" },
    errors: [...readErrors, "step_not_found", "request_unknown"],
  }),
  get_sent_request: operation("get_sent_request", {
    at: "GET /runs/{run_id}/request/sent",
    tag,
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
      "Creates a read-only run of an agent from a bundle of this or another service. The run keeps the whole record, and its export is the bundle again. It is not visible to API keys, and nothing runs on the configurations in the bundle: forks and trials run on the definition of the agent. A bundle that an export cannot have written is refused, and nothing of it is stored. The longest body is `body_bytes` of `GET /me`, and on AWS about 4 MB; the CLI imports larger bundles.",
    requestMedia: { "application/zip": { type: "string", format: "binary" } },
    success: { status: 201, description: "The run.", body: "Run" },
    errors: [
      "agent_not_found",
      "agent_deleted",
      "agent_archived",
      "invalid_argument",
      "storage_quota_exceeded",
      "modified_concurrently",
    ],
  }),
  list_files: operation("list_files", {
    ...shared.list_files,
    description: "Files by name, now or after a step.",
    errors: [...readErrors, "step_not_found", "files_unknown"],
  }),
  get_file: operation("get_file", {
    ...shared.get_file,
    description: "The content of a file, now or after a step. Always sent as a download, whatever it contains.",
    errors: [
      ...readErrors,
      "step_not_found",
      "file_not_found",
      "file_not_kept",
      "file_changed",
      "range_not_satisfiable",
      "files_unknown",
    ],
  }),
};
