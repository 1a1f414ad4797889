import type { ErrorCodeOf } from "../error-codes.ts";
import type { SharedErrorCode } from "../http/rest/errors.ts";
import type { OperationEntry } from "../http/rest/operation.ts";
import {
  at,
  cursor,
  downloadHeaders,
  eventHeaders,
  eventParameters,
  idempotencyKey,
  limit,
  parameter,
  pollHeaders,
  runStatus,
  searchFilters,
} from "../http/rest/parameters.ts";
import { runOrders } from "../runs/read/search/fact-filter.ts";
import { maxRunTokens } from "../runs/token-limits.ts";
import { newRunKey, runFilters, templateId } from "./parameters.ts";

/** The APIs that share operations. */
export type Api = "ext" | "manage";

/** An operation of both APIs: what they share, and for each API what it has besides. */
export interface SharedOperation extends Omit<OperationEntry<SharedErrorCode>, "description" | "success"> {
  description?: string;
  success?: OperationEntry<never>["success"];
  for: { [Name in Api]: Partial<OperationEntry<ErrorCodeOf<Name>>> };
}

const tag = "runs";
const run = { description: "The run.", body: "Run" } as const;
const bytes = { "application/octet-stream": { type: "string", format: "binary" } } as const;
/** Errors of a read on AWS, by the identity of the operator. */
const history = ["history_failed", "history_unavailable"] as const;

/** What the messages of an event stream are. `detail`: when the run is sent. `last`: the last kind of messages, and what ends the stream. */
const messages = (detail: string, last: string) =>
  `Server-sent events: \`retry\` with the milliseconds until the client connects again; ${detail}; \`event: event\` with an Event and its number as \`id\`; \`event: delta\` with text that a model writes, before its answer is recorded (\`turn\`, \`step\`, \`text\` from character \`from\` on; 0: it begins, or begins again; after the end of what was received: the text between is missing); \`event: thinking\` with what the model thinks before that text, in the same form, if the agent records it (\`recordReasoning\`); and ${last}`;

const downloaded = {
  206: {
    description: "The bytes of `Range`.",
    bodies: [],
    media: bytes,
    headers: ["ETag", "Accept-Ranges", "Content-Range"],
  },
  304: { description: "The file is the one in `If-None-Match`.", bodies: [], media: {}, headers: ["ETag"] },
} as const;

const eventsOrStream = (stream: string) =>
  ({
    description: "A page, or a stream.",
    body: "EventPage",
    media: { "text/event-stream": { type: "string", description: stream } },
  }) as const;

/** The operations that the extension API and the management API both have. */
export const sharedOperations = {
  create_run: {
    at: "POST /runs",
    tag,
    summary: "Create a run",
    requestHeaders: newRunKey,
    request: "CreateRunRequest",
    success: {
      status: 201,
      description: "The run. With `Idempotent-Replayed: true`, an earlier request created it.",
      body: "CreatedRun",
      headers: ["Idempotent-Replayed"],
    },
    errors: [
      "agent_archived",
      "file_not_base64",
      "no_model",
      "invalid_argument",
      "idempotency_key_reused",
      "webhook_not_configured",
      "result_schema_not_allowed",
      "too_many_runs",
      "dollars_spent",
      "storage_quota_exceeded",
    ],
    for: {
      ext: {
        description:
          "Creates a run of an agent of the key and answers at once; the run executes asynchronously. With `Idempotency-Key`, the request is safe to repeat. Without it, a repeated request creates a second run.",
        errors: ["template_mismatch", "upload_not_found", "upload_incomplete"],
      },
      manage: {
        description:
          "Creates a run of an agent, like `POST /ext/v1/runs` with a key of the agent. With `Idempotency-Key`, the request is safe to repeat. It takes no `uploads`, which belong to API keys, and no `token`: `create_run_token` makes one.",
        errors: ["agent_not_found", "agent_deleted"],
      },
    },
  },
  list_runs: {
    at: "GET /runs",
    tag,
    summary: "List runs",
    success: { description: "A page.", body: "RunPage" },
    errors: ["invalid_argument"],
    for: {
      ext: {
        description:
          "Runs of the key's agents, newest first. With a filter, a page examines a limited number of runs: it can be short or empty and still have a `next`.",
        query: {
          template_id: templateId("all of them"),
          status: runStatus,
          ...searchFilters,
          cursor,
          limit: limit(50, 200),
        },
      },
      manage: {
        description:
          "Runs of all agents, newest first. With some filters, a page examines only the newest 1,000 runs: it can be short or empty and still have a `next`. In another order, the newest 1,000 runs that match are sorted; `complete` says whether there are more.",
        query: {
          ...runFilters,
          status: runStatus,
          sort: parameter("The order. In each, the largest comes first. `created`: the newest.", {
            type: "string",
            enum: runOrders,
            default: "created",
          }),
          cursor,
          limit: limit(50, 200),
        },
      },
    },
  },
  get_run: {
    at: "GET /runs/{run_id}",
    tag,
    summary: "Get a run",
    requestHeaders: pollHeaders,
    success: { ...run, body: "RunDetail", headers: ["ETag"] },
    alternative: {
      304: {
        description: "The run is unchanged since the response with the ETag in `If-None-Match`.",
        bodies: [],
        media: {},
        headers: ["ETag"],
      },
    },
    for: {
      ext: {
        acceptsRunToken: true,
        description:
          "A run with its output, its usage, the limits of its turn, and what it does now. To wait for the end, repeat the request with `wait` while `status` is `running` and `state` is not `waiting`, stream the events, or poll every 3 to 10 seconds with the `ETag` of the last response as `If-None-Match`.",
        query: {
          wait: parameter(
            "Seconds to wait while a turn is in progress. The answer comes when the turn has ended or begins to wait for answers, or after this time; for a run that is already waiting for answers, after one second.",
            { type: "integer", minimum: 0, maximum: 20, default: 0 },
          ),
        },
        errors: ["response_too_large"],
      },
      manage: {
        description: "A run with its usage, the limits of its turn, and what it does now.",
        errors: history,
      },
    },
  },
  update_run: {
    at: "PATCH /runs/{run_id}",
    tag,
    summary: "Change a run's labels",
    description: "Replaces the labels of a run, whatever its status. Idempotent.",
    request: "UpdateRunRequest",
    success: run,
    errors: ["run_ended"],
    for: { ext: {}, manage: { errors: ["run_imported"] } },
  },
  create_input: {
    at: "POST /runs/{run_id}/input",
    tag,
    summary: "Send input to a run",
    description:
      "Starts the next turn of a finished run. While a turn is in progress, the input is queued: at most 20. With `Idempotency-Key`, the request is safe to repeat. Without it, a repeated request is another input.",
    requestHeaders: idempotencyKey(
      "Unique per run. A repeated input with the same key and text is accepted once. Keys are kept as long as the run.",
    ),
    request: "CreateInputRequest",
    success: {
      status: 202,
      description: "The input is accepted. With `Idempotent-Replayed: true`, an earlier request with the key was.",
      body: "Run",
      headers: ["Idempotent-Replayed"],
    },
    errors: [
      "invalid_argument",
      "idempotency_key_reused",
      "run_ended",
      "queue_full",
      "transcript_full",
      "agent_archived",
      "too_many_runs",
      "dollars_spent",
    ],
    for: { ext: {}, manage: { errors: ["run_imported", "agent_deleted", "no_model", "modified_concurrently"] } },
  },
  answer_call: {
    at: "POST /runs/{run_id}/answers",
    tag,
    summary: "Answer a tool call that waits",
    requestHeaders: idempotencyKey("It changes nothing: the same answer twice is accepted once."),
    request: "AnswerCallRequest",
    exactField: "output",
    success: { description: "The answer is recorded. With the last one, the turn continues.", body: "Run" },
    errors: [
      "run_ended",
      "call_not_found",
      "already_answered",
      "arguments_changed",
      "file_not_base64",
      "invalid_argument",
      "too_many_runs",
      "dollars_spent",
    ],
    for: {
      ext: {
        description:
          "Answers one of the `open_calls` of a run. The first answer wins; the same one again is accepted. API keys answer client tools and questions, and approvals if the agent file sets `answers.keysApprove`.",
        errors: ["approval_not_allowed"],
      },
      manage: {
        description: "Answers one of the `open_calls` of a run. The first answer wins; the same one again is accepted.",
        errors: ["run_imported"],
      },
    },
  },
  stop_run: {
    at: "POST /runs/{run_id}/stop",
    tag,
    summary: "Stop a run",
    description: "Ends a run: its status becomes `terminated`, and queued inputs are dropped. Idempotent.",
    requestHeaders: idempotencyKey("It has no effect: stopping a run twice is the same as stopping it once."),
    success: run,
    errors: ["run_ended"],
    for: { ext: {}, manage: { errors: ["run_imported", "modified_concurrently"] } },
  },
  create_run_token: {
    at: "POST /runs/{run_id}/tokens",
    tag,
    summary: "Create a token that reads a run",
    description: `Creates a token that reads the run: its status, events and files, in the extension API, and nothing else. It can be given to a browser or a person. It is valid until it expires or is revoked, or the run is deleted. A run has at most ${maxRunTokens} valid tokens. The token is only in this answer.`,
    request: "CreateRunTokenRequest",
    requestOptional: true,
    success: { status: 201, description: "The token.", body: "CreatedRunToken" },
    errors: ["run_ended", "invalid_argument"],
    for: { ext: {}, manage: { errors: ["run_imported"] } },
  },
  list_run_tokens: {
    at: "GET /runs/{run_id}/tokens",
    tag,
    summary: "List the tokens that read a run",
    description: "The valid tokens of the run, oldest first, without the tokens themselves.",
    success: { description: "The tokens.", body: "RunTokenList" },
    for: { ext: {}, manage: {} },
  },
  revoke_run_token: {
    at: "DELETE /runs/{run_id}/tokens/{token_id}",
    tag,
    summary: "Revoke a token that reads a run",
    description:
      "Revokes a token at once. Streams that it has open end. A token that is unknown or expired is revoked already.",
    success: { status: 204, description: "The token is no longer valid.", media: {} },
    errors: ["run_ended"],
    for: { ext: {}, manage: { errors: ["run_imported"] } },
  },
  delete_run: {
    at: "DELETE /runs/{run_id}",
    tag,
    summary: "Delete a run",
    errors: ["modified_concurrently"],
    for: {
      ext: {
        description:
          "Stops a run and deletes its texts and files for good, if the agent file sets `allowDelete`. The response is what remains. Takes 3 seconds for a run with a turn in progress. Idempotent.",
        success: { description: "The run: `terminated`, without texts and files.", body: "Run" },
        errors: ["delete_not_allowed"],
      },
      manage: {
        description: "Stops a run and erases its texts and files. The erased run stays readable as `terminated`.",
        success: { status: 204, description: "The run is deleted.", media: {} },
      },
    },
  },
  list_events: {
    at: "GET /runs/{run_id}/events",
    tag,
    summary: "List or stream a run's events",
    query: eventParameters,
    requestHeaders: eventHeaders,
    errors: ["response_too_large", "invalid_argument"],
    for: {
      ext: {
        acceptsRunToken: true,
        description:
          "Events in the order of recording. With `Accept: text/event-stream`, a stream of events as they are recorded. On AWS, it may end after the events recorded so far; connect again after the time in `retry`. All messages of a stream are named, so `onmessage` of a browser's EventSource gets none of them; it cannot send headers, so a stream takes the token of a run as `?token=`, too.",
        success: eventsOrStream(
          messages(
            "`event: run` with a RunDetail without `output`, at the start and on each change of it",
            'when the run is not running and everything was sent, `event: end` with `{"status"}`. A response that ends without `end` is continued with `Last-Event-ID`.',
          ),
        ),
      },
      manage: {
        description:
          "Events in the order of recording. With `Accept: text/event-stream`, a stream of events as they are recorded.",
        success: eventsOrStream(
          messages(
            "then `event: run` with a RunDetail at the start and on each change of it",
            "`event: output` with what a call of the current turn has printed so far (`step`, `call`, `text`: its end, `characters`: all). The response may end at any time: connect again with `Last-Event-ID`.",
          ),
        ),
        errors: history,
      },
    },
  },
  list_files: {
    at: "GET /runs/{run_id}/files",
    tag,
    summary: "List a run's files",
    description: "Files by name, now or after a step: uploads, and what the agent wrote.",
    query: { at },
    success: { description: "The files.", body: "RunFilePage" },
    errors: ["step_not_found", "files_unknown"],
    for: { ext: { acceptsRunToken: true }, manage: { errors: ["response_too_large", ...history] } },
  },
  get_file: {
    at: "GET /runs/{run_id}/files/{name}",
    endsWithPath: true,
    tag,
    summary: "Download a file",
    query: { at },
    requestHeaders: downloadHeaders,
    success: { description: "The bytes of the file.", media: bytes, headers: ["ETag", "Accept-Ranges"] },
    errors: [
      "step_not_found",
      "file_not_found",
      "file_not_kept",
      "file_changed",
      "range_not_satisfiable",
      "files_unknown",
      "response_too_large",
    ],
    for: {
      ext: {
        acceptsRunToken: true,
        description:
          "The content of a file, now or after a step, always as a download. On AWS, the response redirects to a signed URL; follow it without the key. S3 serves ranges, and has an ETag of its own.",
        alternative: {
          ...downloaded,
          307: {
            description: "On AWS: `location` is a URL of the file that is valid for 60 seconds.",
            bodies: [],
            media: {},
            headers: ["Location", "ETag"],
          },
        },
      },
      manage: {
        description: "The content of a file, now or after a step. Always sent as a download, whatever it contains.",
        alternative: downloaded,
        errors: history,
      },
    },
  },
} as const satisfies Record<string, SharedOperation>;
