import { eventsOrStream, runOperations as shared } from "../../../run-api/operations.ts";
import { operation } from "./operation.ts";

const stream =
  'Server-sent events: `retry` with the milliseconds until the client connects again; `event: run` with a RunDetail without `output`, at the start and on each change of it; `event: event` with an Event and its number as `id`; `event: delta` with text that a model writes, before its answer is recorded (`turn`, `step`, `text` from character `from` on; 0: it begins, or begins again; after the end of what was received: the text between is missing); `event: thinking` with what the model thinks before that text, in the same form, if the agent records it (`recordReasoning`); and when the run is not running and everything was sent, `event: end` with `{"status"}`. A response that ends without `end` is continued with `Last-Event-ID`.';

export const runRecordOperations = {
  list_events: operation("list_events", {
    ...shared.list_events,
    acceptsRunToken: true,
    description:
      "Events in the order of recording. With `Accept: text/event-stream`, a stream of events as they are recorded. On AWS, it may end after the events recorded so far; connect again after the time in `retry`. All messages of a stream are named, so `onmessage` of a browser's EventSource gets none of them; it cannot send headers, so a stream takes the token of a run as `?token=`, too.",
    success: eventsOrStream(stream),
    errors: ["run_not_found", "response_too_large", "invalid_argument"],
  }),
  list_files: operation("list_files", {
    ...shared.list_files,
    acceptsRunToken: true,
    description: "Files by name, now or after a step: uploads, and what the agent wrote.",
    errors: ["run_not_found", "step_not_found", "files_unknown"],
  }),
  get_file: operation("get_file", {
    ...shared.get_file,
    acceptsRunToken: true,
    description:
      "The content of a file, now or after a step, always as a download. On AWS, the response redirects to a signed URL; follow it without the key. S3 serves ranges, and has an ETag of its own.",
    alternative: {
      ...shared.get_file.alternative,
      307: {
        description: "On AWS: `location` is a URL of the file that is valid for 60 seconds.",
        bodies: [],
        media: {},
        headers: ["Location", "ETag"],
      },
    },
    errors: [
      "run_not_found",
      "step_not_found",
      "file_not_found",
      "file_not_kept",
      "file_changed",
      "range_not_satisfiable",
      "files_unknown",
      "response_too_large",
    ],
  }),
};
