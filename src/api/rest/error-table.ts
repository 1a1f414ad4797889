/** One error of an API. */
export interface ErrorEntry {
  status: number;
  /** When it happens, for the document. */
  when: string;
  /** An example of `detail`. */
  detail: string;
}

/** The errors that the management API and the extension API share: the value of `code`, with the HTTP status. */
export const sharedErrors = {
  invalid_request: {
    status: 422,
    when: "The body, a path parameter or a query parameter violates its schema, or is unknown. `detail` is a list with one item per violation.",
    detail: "Field required",
  },
  invalid_argument: {
    status: 422,
    when: "The request matches its schema, but cannot be applied. `detail` says why, and what is accepted.",
    detail: "prices is missing; limits.dollars requires it",
  },
  not_found: { status: 404, when: "The path does not exist.", detail: "Not Found" },
  method_not_allowed: {
    status: 405,
    when: "The path does not accept this method. The header `allow` lists those that it accepts.",
    detail: "Method Not Allowed",
  },
  run_not_found: { status: 404, when: "The run does not exist.", detail: 'run "…" does not exist' },
  step_not_found: {
    status: 404,
    when: "The run has no such step or event.",
    detail: "run … has no step 1.9: turn 1 has 4 steps",
  },
  file_not_found: { status: 404, when: "The run has no such file.", detail: 'run … has no file "report.csv"' },
  file_not_kept: {
    status: 404,
    when: "The file had this content, which is no longer kept.",
    detail: 'the content of "report.csv" is no longer kept',
  },
  files_unknown: {
    status: 404,
    when: "An earlier release recorded this step, without its files.",
    detail: "the files of run … at this step are unknown",
  },
  agent_archived: {
    status: 409,
    when: "The agent is archived. Unarchive it to create runs, send inputs and upload files. What it did stays readable.",
    detail: "Agent template is archived; unarchive it to create runs",
  },
  run_ended: {
    status: 409,
    when: "The run has ended and accepts no input.",
    detail: "run … is terminated and accepts no input",
  },
  queue_full: { status: 409, when: "The run already has 20 queued inputs.", detail: "run … has 20 queued inputs" },
  transcript_full: {
    status: 409,
    when: "With this input, the transcript of the run and its queued inputs would be larger than the service accepts. Start another run.",
    detail: "the transcript of run … would have 33.1 MB with this input; at most 32 MB are accepted; start another run",
  },
  modified_concurrently: {
    status: 409,
    when: "Other requests changed the record at the same time. Retry.",
    detail: "agent … was modified concurrently; retry",
  },
  body_timeout: {
    status: 408,
    when: "The body did not arrive in time.",
    detail: "Timed out while reading the request body",
  },
  files_too_large: {
    status: 413,
    when: "The files are larger than 10 MiB together, or the body is larger than 20 MiB.",
    detail: "total file size exceeds the allowed limit",
  },
  file_not_base64: {
    status: 422,
    when: "A file is not valid base64.",
    detail: "file 'report.csv' is not valid base64",
  },
  no_model: {
    status: 422,
    when: "The organization has no usable inference model.",
    detail: "The organization has no inference model configured; configure one to create runs.",
  },
  too_many_requests: {
    status: 429,
    when: "The key or the operator sends more requests per second than the service accepts, where a list or search counts as several, or has too many event streams open.",
    detail: "too many requests: this key may send 100000 per second, and a list or search counts as several",
  },
  too_many_runs: {
    status: 429,
    when: "Too many runs wait to start.",
    detail: "1000 runs of the agent wait to start, and no more are accepted",
  },
  dollars_spent: {
    status: 429,
    when: "The agent or its organization has spent its dollars of the day.",
    detail: "the agent has reached its limit of 20 US dollars per day (maxDollarsPerDay)",
  },
  storage_quota_exceeded: {
    status: 429,
    when: "With these files, those of the runs of the agent or its organization would have more bytes than its quota. Delete runs.",
    detail:
      "the files of the agent's runs have 1000 bytes and would have 1100; at most 1048 are accepted (maxStoredBytes); delete runs that are no longer needed",
  },
  too_many_bytes: {
    status: 429,
    when: "Other requests with the same credential are sending large bodies. Retry when they have ended.",
    detail: "Other requests with this key are sending large bodies; retry when they have ended",
  },
  history_failed: {
    status: 502,
    when: "The run's record could not be read. Retry with backoff.",
    detail: "event history lookup failed",
  },
  history_unavailable: {
    status: 503,
    when: "The run's record is temporarily unavailable. Retry with backoff.",
    detail: "event history is temporarily unavailable",
  },
  storage_full: {
    status: 503,
    when: "The server has not enough disk space to store the request now.",
    detail: "Not enough disk space to receive the request body; retry later",
  },
  store_unavailable: {
    status: 503,
    when: "The database is temporarily unavailable. Retry with backoff.",
    detail: "The database is temporarily unavailable; retry",
  },
  internal_error: {
    status: 500,
    when: "The service failed. Its log has the cause; `x-request-id` finds it.",
    detail: "Internal Server Error",
  },
} as const satisfies Record<string, ErrorEntry>;

export type SharedErrorCode = keyof typeof sharedErrors;
