import { freshToken } from "../state/provider.ts";
import { refuse, token } from "../state/session.ts";
import type { Issue, Page } from "./types.ts";

/** The API responded with an error. `status` 0: there was no response. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The violations of the request's schema. Empty for other errors. */
  readonly issues: Issue[];

  constructor(status: number, code: string, message: string, issues: Issue[] = []) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.issues = issues;
  }
}

/** Whether the service was not reached: there was no response, or one of a gateway before it. */
export function isUnreached(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || (error.status >= 502 && error.status <= 504);
}

export interface CallOptions {
  /** Fields that are undefined or empty are left out. */
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A path below `/manage/v1` with its query. */
function apiUrl(path: string, query: CallOptions["query"] = {}): string {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return `/manage/v1${path}${search && `?${search}`}`;
}

/** Sends a request with the operator's token. Rejects with `ApiError` for every response that is not a success. */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { query, body, headers = {}, signal } = options;
  await freshToken();
  const response = await fetch(apiUrl(path, query), {
    method,
    headers: {
      ...(token.value !== undefined && { authorization: `Bearer ${token.value}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The service does not respond.");
  });
  if (response.ok) return response;
  const failure = await errorOf(response);
  if (failure.status === 401) refuse("The service does not accept your sign-in any more.");
  if (failure.status === 403 && path === "/me") refuse(failure.message); // a person without a role
  throw failure;
}

/** Reads a resource. */
export async function get<Resource>(path: string, options?: CallOptions): Promise<Resource> {
  return (await (await send("GET", path, options)).json()) as Resource;
}

/** Sends a change. Resolves with the resource of the response, or with undefined for an empty one. */
export async function change<Resource = undefined>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  options: Omit<CallOptions, "body"> = {},
): Promise<Resource> {
  const response = await send(method, path, { ...options, ...(body !== undefined && { body }) });
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Resource;
}

/** All items of a list, page by page, at most `most`. */
export async function getAll<Item>(path: string, query: CallOptions["query"] = {}, most = 2_000): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Item> = await get(path, { query: { ...query, ...(cursor !== undefined && { cursor }) } });
    items.push(...page.data);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < most);
  return items;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { detail?: string | Issue[]; code?: string };
  const { detail = unexplained(response.status), code = "unknown" } = body;
  if (typeof detail === "string") return new ApiError(response.status, code, detail);
  return new ApiError(response.status, code, detail.map(({ msg }) => msg).join("; "), detail);
}

/** Responses that are not of the service: API Gateway refuses bodies that are too large for it. */
function unexplained(status: number): string {
  if (status !== 413) return `The service responded with HTTP ${status}.`;
  return "The request is too large here. Start the run on the command line: npm run -s admin -- run start";
}
