/** The base class of all errors of this client. */
export class AgentRunsError extends Error {
  /** The run that the failed call was about, if it exists. It continues. */
  runId?: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** One violation of the request's schema. */
export interface Issue {
  type: string;
  /** The place, such as `["body", "name"]`. */
  loc: (string | number)[];
  msg: string;
}

/** What an error response says. */
export interface ErrorResponse {
  /** HTTP status. */
  status: number;
  /** The reason, for people. */
  detail: string;
  /** The reason, for programs. `undefined`: a proxy answered. */
  code: string | undefined;
  /** The server's id of the request, for its log. */
  requestId: string | undefined;
  /** Seconds of the header `Retry-After`. */
  retryAfter: number | undefined;
  /** With status 422: the violations of the schema. */
  issues: Issue[];
}

/** The server rejected the request. */
export class APIError extends AgentRunsError {
  readonly status: number;
  readonly detail: string;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly issues: Issue[];

  /** `call`: method and path. */
  constructor(call: string, { status, detail, code, requestId, retryAfter, issues }: ErrorResponse) {
    super(`${call}: ${status} ${detail}`);
    this.status = status;
    this.detail = detail;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.issues = issues;
  }
}
