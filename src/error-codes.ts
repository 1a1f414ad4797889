/** The APIs that report errors. `mcp`: outside of JSON-RPC's results. Only the CLI shows a code without an API. */
type Api = "v1" | "ext" | "manage" | "mcp";

/** What an API's document says about an error. */
export interface ErrorEntry {
  /** The HTTP status. */
  status: number;
  /** When it happens. */
  when: string;
  /** An example of `detail`. */
  detail: string;
}

/**
 * The classes of errors that both clients raise, with what their documentation says of them. A code that needs none of its own
 * has `APIError`, their base class. Names of fields are those of Python.
 */
export const clientErrors = {
  AuthenticationError: "The API key is missing, unknown or disabled.",
  TemplateMismatch: "`template_id` is not an agent of the API key.",
  AgentNotFound: "The agent of the API key was deleted.",
  AgentArchived: "The agent is archived and accepts no new runs.",
  RunNotFound: "The agent of the API key has no such run.",
  FileNotFound: "The run has no such file, or its content at this step is not kept.",
  PayloadTooLarge: "A file, or all together, are larger than the service accepts.",
  InvalidRequest:
    "A value is missing or wrong. `issues` lists the violations of the schema; it is empty for other reasons.",
  ModelNotConfigured: "The organization has no usable model.",
  WebhookNotConfigured: "The agent has no webhook, so a run cannot have a webhook URL.",
  UploadFailed: "An upload is unknown, expired, incomplete or damaged.",
  IdempotencyKeyReused: "The idempotency key belongs to a create with other values.",
  RateLimited:
    "Too many requests or runs, or the dollars of the day are spent. `retry_after`: seconds to wait, if known.",
  RunEnded: "The run was stopped or deleted and accepts no input.",
  QueueFull: "The run already has 20 queued inputs.",
  ServiceUnavailable: "The service failed (status 500 and above).",
} as const;

interface ErrorRow extends ErrorEntry {
  /** The APIs that show it. v1 shows its status and text, but no code. */
  apis: readonly Api[];
  /** The class that both clients raise. Required for codes of `ext`. */
  client?: "APIError" | keyof typeof clientErrors;
  /** Any request can be answered with it, whatever the operation. */
  everywhere?: true;
  /** What differs in an API. */
  manage?: Partial<ErrorEntry>;
  mcp?: Partial<ErrorEntry>;
}

/**
 * Every error code. The documents, the types of codes and the clients' classes are made from this table. The order is that
 * of the documents.
 */
const errorTable = {
  invalid_request: {
    status: 422,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "InvalidRequest",
    everywhere: true, // every operation rejects unknown query parameters
    when: "The body, a path parameter or a query parameter violates its schema, or is unknown. `detail` is a list with one item per violation.",
    detail: "Field required",
    mcp: { status: 400 },
  },
  invalid_argument: {
    status: 422,
    apis: ["ext", "manage"],
    client: "InvalidRequest",
    when: "The request matches its schema, but cannot be applied. `detail` says why, and what is accepted.",
    detail: "prices is missing; limits.dollars requires it",
  },
  not_found: {
    status: 404,
    apis: ["v1", "ext", "manage"],
    client: "APIError",
    when: "The path does not exist.",
    detail: "Not Found",
  },
  method_not_allowed: {
    status: 405,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "APIError",
    when: "The path does not accept this method. The header `allow` lists those that it accepts.",
    detail: "Method Not Allowed",
  },
  run_not_found: {
    status: 404,
    apis: ["v1", "ext", "manage"],
    client: "RunNotFound",
    when: "The run does not exist.",
    detail: 'run "…" does not exist',
  },
  step_not_found: {
    status: 404,
    apis: ["ext", "manage"],
    client: "FileNotFound",
    when: "The run has no such step or event.",
    detail: "run … has no step 1.9: turn 1 has 4 steps",
  },
  file_not_found: {
    status: 404,
    apis: ["ext", "manage"],
    client: "FileNotFound",
    when: "The run has no such file.",
    detail: 'run … has no file "report.csv"',
  },
  file_not_kept: {
    status: 404,
    apis: ["ext", "manage"],
    client: "FileNotFound",
    when: "The file had this content, which is no longer kept.",
    detail: 'the content of "report.csv" is no longer kept',
  },
  range_not_satisfiable: {
    status: 416,
    apis: ["ext", "manage"],
    client: "InvalidRequest",
    when: "`Range` begins after the end of the file. `Content-Range` has its size.",
    detail: 'Range is "bytes=100-"; the file has 100 bytes, from 0 to 99',
  },
  file_changed: {
    status: 412,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "The file has another content than the one in `If-Match`.",
    detail: 'If-Match is "0…", and the file has the ETag "1…"; read it again, or leave out If-Match',
  },
  files_unknown: {
    status: 404,
    apis: ["ext", "manage"],
    client: "FileNotFound",
    when: "An earlier release recorded this step, without its files.",
    detail: "the files of run … at this step are unknown",
  },
  agent_archived: {
    status: 409,
    apis: ["v1", "ext", "manage"],
    client: "AgentArchived",
    when: "The agent is archived. Unarchive it to create runs, send inputs and upload files. What it did stays readable.",
    detail: "Agent template is archived; unarchive it to create runs",
  },
  run_ended: {
    status: 409,
    apis: ["ext", "manage"],
    client: "RunEnded",
    when: "The run has ended and accepts no input, or was deleted and has no labels.",
    detail: "run … is terminated and accepts no input",
  },
  queue_full: {
    status: 409,
    apis: ["ext", "manage"],
    client: "QueueFull",
    when: "The run already has 20 queued inputs.",
    detail: "run … has 20 queued inputs",
  },
  transcript_full: {
    status: 409,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "With this input, the transcript of the run and its queued inputs would be larger than the service accepts. Start another run.",
    detail: "the transcript of run … would have 33.1 MB with this input; at most 32 MB are accepted; start another run",
  },
  modified_concurrently: {
    status: 409,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "Other requests changed the record at the same time. Retry.",
    detail: "agent … was modified concurrently; retry",
  },
  body_timeout: {
    status: 408,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "APIError",
    everywhere: true,
    when: "The headers or the body did not arrive in time.",
    detail: "Timed out while reading the request body",
  },
  malformed_request: {
    status: 400,
    apis: ["ext", "manage", "mcp"],
    client: "APIError",
    everywhere: true,
    when: "The request is not valid HTTP, or has no `Host` header, or more than one.",
    detail: "Bad Request",
  },
  headers_too_large: {
    status: 431,
    apis: ["ext", "manage", "mcp"],
    client: "APIError",
    everywhere: true,
    when: "The URL and the headers have more than 16 KiB together.",
    detail: "The URL and the headers have more than 16 KiB together; send less, such as a shorter query",
  },
  expectation_failed: {
    status: 417,
    apis: ["ext", "manage", "mcp"],
    client: "APIError",
    everywhere: true,
    when: "The header `Expect` has another value than `100-continue`.",
    detail: "The only supported value of Expect is 100-continue",
  },
  transfer_coding_unsupported: {
    status: 501,
    apis: ["ext", "manage", "mcp"],
    client: "APIError",
    everywhere: true,
    when: "The header `Transfer-Encoding` has another value than `chunked`.",
    detail: "The only supported Transfer-Encoding is chunked; send the body without compression",
  },
  files_too_large: {
    status: 413,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "PayloadTooLarge",
    when: "The files are larger than 10 MiB together, or the body is larger than 20 MiB.",
    detail: "total file size exceeds the allowed limit",
  },
  file_not_base64: {
    status: 422,
    apis: ["v1", "ext", "manage"],
    client: "InvalidRequest",
    when: "A file is not valid base64.",
    detail: "file 'report.csv' is not valid base64",
  },
  no_model: {
    status: 422,
    apis: ["v1", "ext", "manage"],
    client: "ModelNotConfigured",
    when: "The organization has no usable inference model.",
    detail: "The organization has no inference model configured; configure one to create runs.",
  },
  too_many_requests: {
    status: 429,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "RateLimited",
    when: "The key or the operator sends more requests per second than the service accepts, where a list or search counts as several, or has too many event streams open.",
    detail: "too many requests: this key may send 100000 per second, and a list or search counts as several",
  },
  too_many_runs: {
    status: 429,
    apis: ["v1", "ext", "manage"],
    client: "RateLimited",
    when: "Too many runs wait to start.",
    detail: "1000 runs of the agent wait to start, and no more are accepted",
  },
  dollars_spent: {
    status: 429,
    apis: ["v1", "ext", "manage"],
    client: "RateLimited",
    when: "The agent or its organization has spent its dollars of the day.",
    detail: "the agent has reached its limit of 20 US dollars per day (maxDollarsPerDay)",
  },
  storage_quota_exceeded: {
    status: 429,
    apis: ["v1", "ext", "manage"],
    client: "RateLimited",
    when: "With these files, those of the runs of the agent or its organization would have more bytes than its quota. Delete runs.",
    detail:
      "the files of the agent's runs have 1000 bytes and would have 1100; at most 1048 are accepted (maxStoredBytes); delete runs that are no longer needed",
  },
  too_many_bytes: {
    status: 429,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "RateLimited",
    when: "Other requests with the same credential are sending large bodies. Retry when they have ended.",
    detail: "Other requests with this key are sending large bodies; retry when they have ended",
  },
  history_failed: {
    status: 502,
    apis: ["v1", "ext", "manage"],
    client: "ServiceUnavailable",
    when: "The run's record could not be read. Retry with backoff.",
    detail: "event history lookup failed",
  },
  history_unavailable: {
    status: 503,
    apis: ["v1", "ext", "manage"],
    client: "ServiceUnavailable",
    when: "The run's record is temporarily unavailable. Retry with backoff.",
    detail: "event history is temporarily unavailable",
  },
  storage_full: {
    status: 503,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "ServiceUnavailable",
    when: "The server does not have enough disk space for the request.",
    detail: "Not enough disk space to receive the request body; retry later",
  },
  store_unavailable: {
    status: 503,
    apis: ["ext", "manage", "mcp"],
    client: "ServiceUnavailable",
    when: "The database is temporarily unavailable. Retry with backoff.",
    detail: "The database is temporarily unavailable; retry",
  },
  internal_error: {
    status: 500,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "ServiceUnavailable",
    everywhere: true,
    when: "The service failed. Its log has the cause; `x-request-id` finds it.",
    detail: "Internal Server Error",
  },
  key_missing: {
    status: 401,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "AuthenticationError",
    when: "No key in the headers `Authorization` and `X-API-Key`.",
    detail: "Missing API key",
    manage: { when: "No token in the header `Authorization`.", detail: "Missing operator token (ao_…)" },
  },
  key_invalid: {
    status: 401,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "AuthenticationError",
    when: "The key is unknown or disabled.",
    detail: "Invalid API key",
    manage: {
      when: "The token is unknown or revoked, or it is an API key of an agent.",
      detail: "Invalid operator token: it is unknown or was revoked",
    },
  },
  key_expired: {
    status: 401,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "AuthenticationError",
    when: "The key has expired.",
    detail: "The API key expired at 2026-12-01T00:00:00.000Z; create another one",
    manage: {
      when: "The token has expired.",
      detail: "The operator token expired at 2026-12-01T00:00:00.000Z; ask an operator for another one",
    },
  },
  forbidden: {
    status: 403,
    apis: ["manage"],
    when: "The caller has the role `viewer`, has no role in all organizations where one is required, or sent the request from a page of another site.",
    detail: "This token may only read. Ask an operator for a token with the role operator.",
  },
  organization_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The organization does not exist.",
    detail: 'organization "…" does not exist',
  },
  configuration_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The organization has no further model configuration of this name.",
    detail: 'model configuration "…" does not exist; organization … has backup',
  },
  configuration_in_use: {
    status: 409,
    apis: ["manage"],
    when: "An agent names the model configuration.",
    detail: 'model configuration "backup" is named by an agent: … (Support); name another one there first',
  },
  agent_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The agent does not exist.",
    detail: 'agent "…" does not exist',
  },
  version_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The agent has no such version.",
    detail: "agent … has no version 7; its latest is 3",
  },
  key_not_found: { status: 404, apis: ["manage"], when: "The key does not exist.", detail: 'key "…" does not exist' },
  operator_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The operator does not exist.",
    detail: 'operator "…" does not exist',
  },
  webhook_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The agent has no webhook.",
    detail: "agent … has no webhook; set one first",
  },
  delivery_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The delivery does not exist.",
    detail: 'delivery "…" does not exist',
  },
  request_unknown: {
    status: 409,
    apis: ["manage"],
    when: "The request of this step cannot be rebuilt.",
    detail: "An earlier release recorded this step, without its configuration.",
  },
  last_operator: {
    status: 409,
    apis: ["manage"],
    when: "The token is the last valid one with the role `operator`.",
    detail:
      "mira (ao_9sKd02) is the last valid token with the role operator: nobody could manage the service after it.",
  },
  template_mismatch: {
    status: 403,
    apis: ["v1", "ext", "mcp"],
    client: "TemplateMismatch",
    when: "`template_id` is not an agent of the key.",
    mcp: { when: "`agent` in the address is not an agent of the key." },
    detail: "API key is not valid for the requested template",
  },
  token_reads_one_run: {
    status: 403,
    apis: ["ext"],
    client: "AuthenticationError",
    when: "The credential is a token of one run, which this operation does not accept.",
    detail: "a token of a run only reads this run: its status, events and files",
  },
  run_imported: {
    status: 409,
    apis: ["manage"],
    when: "The run was imported and is read-only.",
    detail: "run … was imported and is read-only; fork it to continue it, or run its input again",
  },
  run_not_failed: {
    status: 409,
    apis: ["manage"],
    when: "The run has another status than `technical_error`, so there is nothing to retry.",
    detail: "run … is finished; only a run with technical_error can be retried",
  },
  trial_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The trial does not exist.",
    detail: 'trial "…" does not exist',
  },
  suite_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The agent has no suite of this name.",
    detail: 'agent … has no suite "invoices"',
  },
  suite_exists: {
    status: 409,
    apis: ["manage"],
    when: "The agent already has a suite of this name.",
    detail: 'agent … already has a suite "invoices"',
  },
  case_not_found: {
    status: 404,
    apis: ["manage"],
    when: "The trial or the suite has no such case.",
    detail: "trial … has no case 51; its cases are 1 to 50",
  },
  trial_mismatch: {
    status: 409,
    apis: ["manage"],
    when: "The trial has not finished, tried another definition or another agent, or has a mode of an earlier release.",
    detail: "trial … tried another definition; save the one that it tried, or leave out trial_id",
  },
  trial_running: {
    status: 409,
    apis: ["manage"],
    when: "The trial is in progress, and must be stopped before.",
    detail: "trial … is running; stop it before you delete it",
  },
  call_not_found: {
    status: 404,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "The turn in progress has not asked for an answer to this call.",
    detail: "run … has not asked for an answer to call 1.2.0 in its turn; it does not wait for any answer now",
  },
  already_answered: {
    status: 409,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "The call has another answer, or was not answered in time. The first answer counts.",
    detail: "the call 1.2.0 was denied by an operator at 2026-11-22T10:15:30.123Z; the first answer counts",
  },
  arguments_changed: {
    status: 409,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "`arguments_sha256` is not that of the call's arguments.",
    detail: "the arguments of call 1.2.0 have the SHA-256 5f…, not the one of this answer; read the call again",
  },
  approval_not_allowed: {
    status: 403,
    apis: ["ext"],
    client: "APIError",
    when: "The call waits for an approval, which only operators give, unless the agent file sets `answers.keysApprove`.",
    detail:
      "this API key cannot answer approvals: the agent file does not set answers.keysApprove to true; ask an operator to answer",
  },
  delete_not_allowed: {
    status: 403,
    apis: ["ext"],
    client: "APIError",
    when: "The agent does not let programs delete runs.",
    detail: "Runs of this agent cannot be deleted with an API key: its agent file does not set allowDelete to true",
  },
  result_schema_not_allowed: {
    status: 403,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "`result_schema` is set, but the agent does not accept schemas of programs.",
    detail: "this agent does not accept result_schema: an operator sets result.perRun to true in its agent file",
  },
  agent_deleted: {
    status: 404,
    apis: ["v1", "ext", "manage", "mcp"],
    client: "AgentNotFound",
    when: "The key's agent was deleted, so the key is invalid.",
    detail: "Agent template not found",
    manage: {
      status: 409,
      when: "The agent is deleted. A deleted agent cannot be changed or restored.",
      detail: "agent … is deleted; a deleted agent cannot be changed or restored",
    },
    mcp: { status: 401 },
  },
  modified: {
    status: 412,
    apis: ["manage"],
    when: "The agent has changed since the revision in `If-Match`. Read it again and repeat your change.",
    detail: "agent … has the revision 5, not 4: it was changed since; read it again",
  },
  response_too_large: {
    status: 413,
    apis: ["ext", "manage"],
    client: "APIError",
    when: "The API is served by AWS Lambda, whose responses have at most 6 MB. Ask for less at once.",
    detail: "The response is larger than AWS Lambda allows (6 MB).",
    manage: {
      when: "The API is served by AWS Lambda, whose responses have at most 6 MB, which is a file of 4.5 MB. `detail` names a command for larger files.",
    },
  },
  upload_too_large: {
    status: 413,
    apis: ["ext"],
    client: "PayloadTooLarge",
    when: "The file is larger than `max_upload_bytes` of the agent.",
    detail: "The file has 209715200 bytes; this service accepts at most 104857600. Split or compress it.",
  },
  too_many_uploads: {
    status: 429,
    apis: ["ext"],
    client: "RateLimited",
    when: "The agent has too many pending uploads, or too many bytes of them (`pending_uploads` of the agent), or all agents of its organization together have. An upload expires 24 hours after it was registered.",
    detail:
      "the agent has 512 pending uploads of 53687091200 bytes, and this one has 4096; at most 20000 of 53687091200 bytes are accepted",
  },
  upload_not_found: {
    status: 422,
    apis: ["ext"],
    client: "UploadFailed",
    when: "The upload does not exist or has expired.",
    detail: 'Upload "…" does not exist or has expired; create a new one',
  },
  upload_incomplete: {
    status: 422,
    apis: ["ext"],
    client: "UploadFailed",
    when: "The content of the upload has not arrived.",
    detail: 'The content of upload … ("report.csv") has not arrived; send it with PUT first',
  },
  upload_mismatch: {
    status: 422,
    apis: ["ext"],
    client: "UploadFailed",
    when: "The content has another size or SHA-256 than the upload was created for.",
    detail: "The content has 12 bytes; the upload was created for 4096",
  },
  idempotency_key_reused: {
    status: 422,
    apis: ["ext", "manage"],
    client: "IdempotencyKeyReused",
    when: "An earlier request with the same `Idempotency-Key` had another body. Use a new key for another run or input.",
    detail: "the idempotency key belongs to an earlier create with another body; use a new key for a new run",
  },
  webhook_not_configured: {
    status: 422,
    apis: ["ext", "manage"],
    client: "WebhookNotConfigured",
    when: "`webhook` is set, but the agent has no webhook whose secret could sign the messages.",
    detail:
      "the agent has no webhook secret, so messages to the run's URL cannot be signed; an operator creates one with `webhook set`",
  },
  key_ambiguous: {
    status: 409,
    apis: [],
    when: "Several keys start with the given text.",
    detail: "2 keys start with 3f",
  },
  operator_ambiguous: {
    status: 409,
    apis: [],
    when: "Several tokens start with the given text.",
    detail: "2 operators start with ao_9s",
  },
  parse_error: {
    status: 400,
    apis: ["mcp"],
    when: "The body is not JSON.",
    detail: "Parse error: the body is not JSON",
  },
} as const satisfies Record<string, ErrorRow>;

type ErrorTable = typeof errorTable;

/** Every code: the reason of a `ServiceError` or an `HttpError`, for programs. */
export type ErrorCode = keyof ErrorTable;

/** The codes that an API shows. */
export type ErrorCodeOf<Of extends Api> = {
  [Code in ErrorCode]: Of extends ErrorTable[Code]["apis"][number] ? Code : never;
}[ErrorCode];

/** The errors that an API shows, by code. */
export function errorsOf<Of extends Api>(api: Of): Record<ErrorCodeOf<Of>, ErrorEntry> {
  const rows = Object.entries<ErrorRow>(errorTable).filter(([, { apis }]) => apis.includes(api));
  return Object.fromEntries(rows.map(([code, row]) => [code, entryIn(api, row)])) as Record<
    ErrorCodeOf<Of>,
    ErrorEntry
  >;
}

function entryIn(api: Api, { status, when, detail, ...row }: ErrorRow): ErrorEntry {
  return { status, when, detail, ...(api === "manage" || api === "mcp" ? row[api] : {}) };
}

/** The codes that every operation of an API can answer with. */
export function codesEverywhere<Of extends Api>(api: Of): ErrorCodeOf<Of>[] {
  const rows = Object.entries<ErrorRow>(errorTable).filter(
    ([, { apis, everywhere }]) => everywhere && apis.includes(api),
  );
  return rows.map(([code]) => code as ErrorCodeOf<Of>);
}

/** The class that the clients raise for each code of the extension API. */
export function clientClasses(): Record<string, string> {
  const rows = Object.entries<ErrorRow>(errorTable).filter(([, { apis }]) => apis.includes("ext"));
  return Object.fromEntries(
    rows.map(([code, { client }]) => {
      if (client === undefined) throw new Error(`the clients have no class for ${code}: give it one in errorTable`);
      return [code, client];
    }),
  );
}
