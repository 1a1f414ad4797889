import type { OperationEntry } from "../http/rest/operation.ts";
import {
  at,
  downloadHeaders,
  eventHeaders,
  eventParameters,
  idempotencyKey,
  pollHeaders,
} from "../http/rest/parameters.ts";
import { maxRunTokens } from "../runs/token-limits.ts";

const tag = "runs";
const run = { description: "The run.", body: "Run" };
const bytes = { "application/octet-stream": { type: "string", format: "binary" } };

/**
 * The operations that the extension API and the management API both have: what is the same in both contracts. Each
 * contract adds errors, and descriptions where they differ.
 */
export const runOperations = {
  create_run: { at: "POST /runs", tag, summary: "Create a run", request: "CreateRunRequest" },
  list_runs: { at: "GET /runs", tag, summary: "List runs", success: { description: "A page.", body: "RunPage" } },
  get_run: {
    at: "GET /runs/{run_id}",
    tag,
    summary: "Get a run",
    requestHeaders: pollHeaders,
    success: { ...run, body: "RunDetail", headers: ["ETag"] },
    alternative: {
      304: { description: "The run is as `If-None-Match` says.", bodies: [], media: {}, headers: ["ETag"] },
    },
  },
  update_run: {
    at: "PATCH /runs/{run_id}",
    tag,
    summary: "Change a run's labels",
    request: "UpdateRunRequest",
    success: run,
  },
  create_input: {
    at: "POST /runs/{run_id}/input",
    tag,
    summary: "Send input to a run",
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
  },
  answer_call: {
    at: "POST /runs/{run_id}/answers",
    tag,
    summary: "Answer a tool call that waits",
    requestHeaders: idempotencyKey("It changes nothing: the same answer twice is accepted once."),
    request: "AnswerCallRequest",
    exactField: "output",
    success: { description: "The answer is recorded. With the last one, the turn continues.", body: "Run" },
  },
  stop_run: {
    at: "POST /runs/{run_id}/stop",
    tag,
    summary: "Stop a run",
    requestHeaders: idempotencyKey("It changes nothing: a run that is stopped twice is stopped once."),
    success: run,
  },
  create_run_token: {
    at: "POST /runs/{run_id}/tokens",
    tag,
    summary: "Create a token that reads a run",
    description: `Creates a token that reads the run: its status, events and files, in the extension API, and nothing else. It can be given to a browser or a person. It is valid until it expires or is revoked, or the run is deleted. A run has at most ${maxRunTokens} valid tokens. The token is only in this answer.`,
    request: "CreateRunTokenRequest",
    requestOptional: true,
    success: { status: 201, description: "The token.", body: "CreatedRunToken" },
  },
  list_run_tokens: {
    at: "GET /runs/{run_id}/tokens",
    tag,
    summary: "List the tokens that read a run",
    description: "The valid tokens of the run, oldest first, without the tokens themselves.",
    success: { description: "The tokens.", body: "RunTokenList" },
  },
  revoke_run_token: {
    at: "DELETE /runs/{run_id}/tokens/{token_id}",
    tag,
    summary: "Revoke a token that reads a run",
    success: { status: 204, description: "The token is no longer valid.", media: {} },
  },
  delete_run: { at: "DELETE /runs/{run_id}", tag, summary: "Delete a run" },
  list_events: {
    at: "GET /runs/{run_id}/events",
    tag,
    summary: "List or stream a run's events",
    query: eventParameters,
    requestHeaders: eventHeaders,
  },
  list_files: {
    at: "GET /runs/{run_id}/files",
    tag,
    summary: "List a run's files",
    query: { at },
    success: { description: "The files.", body: "RunFilePage" },
  },
  get_file: {
    at: "GET /runs/{run_id}/files/{name}",
    endsWithPath: true,
    tag,
    summary: "Download a file",
    query: { at },
    requestHeaders: downloadHeaders,
    success: { description: "The bytes of the file.", media: bytes, headers: ["ETag", "Accept-Ranges"] },
    alternative: {
      206: {
        description: "The bytes of `Range`.",
        bodies: [],
        media: bytes,
        headers: ["ETag", "Accept-Ranges", "Content-Range"],
      },
      304: { description: "The file is the one in `If-None-Match`.", bodies: [], media: {}, headers: ["ETag"] },
    },
  },
} as const satisfies Record<string, Partial<OperationEntry<never>>>;

/** The success of `list_events`. `stream`: describes the messages of a stream. */
export const eventsOrStream = (stream: string) => ({
  description: "A page, or a stream.",
  body: "EventPage",
  media: { "text/event-stream": { type: "string", description: stream } },
});
