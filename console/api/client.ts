import { freshToken } from "./provider.ts";
import { refuse, token } from "./session.ts";
import { type OperationName, type Operations, requestOf } from "./operations.ts";
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

interface CommonOptions {
  /** A body that is not JSON. */
  file?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

type Options<Name extends OperationName> = CommonOptions & Omit<Operations[Name], "parameters" | "answer">;

/** The parameters of an operation, in its path and its query. Those that are undefined or empty are left out. */
type Arguments<Name extends OperationName> =
  CommonOptions extends Options<Name>
    ? [parameters: Operations[Name]["parameters"], options?: Options<Name>]
    : [parameters: Operations[Name]["parameters"], options: Options<Name>];

/** Sends a request with the operator's token. Rejects with `ApiError` for every response that is not a success. */
export async function send<Name extends OperationName>(
  name: Name,
  ...[parameters, options]: Arguments<Name>
): Promise<Response> {
  const { body, file, headers = {}, signal }: CommonOptions & { body?: unknown } = options ?? {};
  await freshToken();
  const { method, address } = requestOf(name, parameters);
  const response = await fetch(address, {
    method,
    headers: {
      ...(token.value !== undefined && { authorization: `Bearer ${token.value}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(file && { body: file }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The service does not respond.");
  });
  if (response.ok) return response;
  const failure = await errorOf(response);
  if (failure.status === 401) refuse("The service does not accept your sign-in any more.");
  if (failure.status === 403 && name === "get_me") refuse(failure.message); // a person without a role
  throw failure;
}

/** Calls an operation. Resolves with the JSON body of the response, or with undefined for an empty one. */
export async function call<Name extends OperationName>(
  name: Name,
  ...args: Arguments<Name>
): Promise<Operations[Name]["answer"]> {
  const text = await (await send(name, ...args)).text();
  return (text === "" ? undefined : JSON.parse(text)) as Operations[Name]["answer"];
}

/** All items of a list, page by page, at most `most`. */
export async function allPages<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  most = 2_000,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.data);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < most);
  return items;
}

/** The error in a response that is not a success. */
export async function errorOf(response: Response): Promise<ApiError> {
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
