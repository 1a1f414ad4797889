import type { Clock, Deadline } from "./clock.ts";
import {
  APIError,
  ConnectionFailed,
  errorOf,
  InvalidArgument,
  isTransient,
  type Issue,
  UnexpectedResponse,
} from "./errors.ts";
import type { Logger } from "./logger.ts";
import { isNode } from "./node-modules.ts";
import { throughProxy } from "./proxy.ts";
import { Timer } from "./timer.ts";

/** Milliseconds. The attempts of a request that may be repeated are 1, 2, 4 … 30 s apart. */
const longestBackoff = 30_000;
/** Bytes per millisecond of a slow connection: large bodies get more time. */
const slowest = 100;

export interface HttpOptions {
  baseUrl: string;
  apiKey: string;
  /** Milliseconds for the answer to one request, and for the next part of a stream or a download. */
  timeout: number;
  /** How often a request that may be repeated is, outside of a wait. */
  maxRetries: number;
  logger: Logger;
  fetch: typeof fetch;
  clock: Clock;
}

export interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A path below the base URL, or a whole URL. */
  path: string;
  query?: Record<string, string | string[] | undefined>;
  headers?: Record<string, string>;
  body?: string | Blob;
  deadline: Deadline;
  /** Follow redirects. Other redirects are an error: a POST would lose its body. */
  follow?: boolean;
}

/** Requests to one server: authentication, deadlines, errors. */
export class Http {
  readonly clock: Clock;
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.clock = options.clock;
  }

  /** Milliseconds of one request. */
  get timeout(): number {
    return this.#options.timeout;
  }

  get logger(): Logger {
    return this.#options.logger;
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  /** The JSON object of a successful response that has these fields. Throws `UnexpectedResponse` for anything else. */
  async object<Value extends object>(request: Request, fields: readonly (keyof Value & string)[]): Promise<Value> {
    const { text, type } = await this.#receive(request, async (response) => ({
      text: await response.text(),
      type: response.headers.get("content-type") ?? "no content type",
    }));
    const value = type.includes("json") ? parse(text) : undefined;
    if (typeof value === "object" && value !== null && fields.every((field) => field in value)) return value as Value;
    throw this.unexpected(request, `${type}, beginning with ${JSON.stringify(text.slice(0, 80))}`);
  }

  /** Sends a request whose response has no content. */
  async send(request: Request): Promise<void> {
    await this.#receive(request, (response) => response.text());
  }

  /**
   * The content of a successful response as it arrives. Fails when nothing arrives for the timeout of a request. `type`: the
   * content type that it must have. `onStart`: called before the first part.
   */
  async *stream(request: Request, type = "", onStart?: (response: Response) => void): AsyncGenerator<Uint8Array> {
    const timer = new Timer(this.#options.timeout, request.deadline);
    try {
      const response = await this.#respond(request, timer.signal);
      const actual = response.headers.get("content-type") ?? "";
      if (!actual.includes(type)) throw this.unexpected(request, `${actual || "no content type"} instead of ${type}`);
      onStart?.(response);
      const reader = response.body?.getReader();
      if (!reader) return;
      for (;;) {
        const part = await this.#answer(request, timer, reader.read());
        if (part.done) return;
        timer.pause(); // the caller's time does not count
        yield part.value;
        timer.restart();
      }
    } finally {
      timer.end();
    }
  }

  /**
   * Repeats a call that may be repeated, up to `maxRetries` times and while the deadline allows it. `progress`: a number that
   * grows while attempts are not in vain. They are counted anew then.
   */
  async retry<Value>(deadline: Deadline, call: () => Promise<Value>, progress?: () => number): Promise<Value> {
    let best = 0;
    for (let failures = 1; ; failures++) {
      try {
        return await call();
      } catch (error) {
        const reached = progress?.() ?? 0;
        if (reached > best) [best, failures] = [reached, 1];
        if (failures > this.#options.maxRetries) throw error;
        const pause = this.backoff(error, failures, 1_000, longestBackoff);
        deadline.failed(error);
        if (pause === undefined) throw error;
        await deadline.sleep(pause);
      }
    }
  }

  /**
   * Milliseconds before the next attempt: 1 s doubling to 30 s, or what the server asked for. Undefined: it will not help, or
   * is later than `longest`.
   */
  backoff(error: unknown, failures: number, first = 1_000, longest = Infinity): number | undefined {
    if (!isTransient(error)) return undefined;
    const asked = error instanceof APIError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const pause = Math.max(asked, Math.min(longestBackoff, first * 2 ** (failures - 1)));
    if (pause > longest) return undefined;
    this.#options.logger.debug(`${error.message}; next attempt in ${pause / 1_000} s`);
    return pause;
  }

  /**
   * Milliseconds before the next attempt of a wait, as `backoff`. Undefined also when nothing has answered the call after the
   * attempts of a read: the address is wrong, or a browser does not let the page have the answers.
   */
  waitBackoff(error: unknown, failures: number, deadline: Deadline, first?: number): number | undefined {
    deadline.failed(error);
    const isSilent = !deadline.answered && failures > this.#options.maxRetries && deadline.remaining() > 0;
    return isSilent && error instanceof ConnectionFailed ? undefined : this.backoff(error, failures, first);
  }

  unexpected(request: Request, what: string): UnexpectedResponse {
    return new UnexpectedResponse(
      `${callOf(request)} was answered with ${what}. Is ${this.baseUrl} the base URL of an Agent Run Service?`,
    );
  }

  async #receive<Value>(request: Request, read: (response: Response) => Promise<Value>): Promise<Value> {
    const timer = new Timer(this.#options.timeout + sizeOf(request.body) / slowest, request.deadline);
    try {
      return await this.#answer(request, timer, read(await this.#respond(request, timer.signal)));
    } finally {
      timer.end();
    }
  }

  /** A successful response, whose body is not read yet. */
  async #respond(request: Request, signal: AbortSignal): Promise<Response> {
    const { method, path, query = {}, body, follow = false } = request;
    const url = this.#url(path, query);
    const headers = new Headers(request.headers);
    headers.delete("content-length"); // fetch sets it
    if (url.origin === new URL(this.baseUrl).origin) headers.set("authorization", `Bearer ${this.#options.apiKey}`);
    if (typeof body === "string") headers.set("content-type", "application/json");
    const init: RequestInit = { method, headers, redirect: follow ? "follow" : "manual", signal };
    if (body !== undefined) init.body = body;
    // Otherwise, Node's fetch keeps all of the content, for a redirect or another window's question for a password.
    if (body instanceof Blob && isNode()) Object.assign(init, { redirect: "error", window: null });
    const began = this.clock.now();
    // Redirects to other origins are followed without Authorization (Fetch standard, section 4.4).
    const response = await this.#answer(request, { signal }, this.#options.fetch(url, init));
    const time = Math.round(this.clock.now() - began);
    request.deadline.answered = true;
    if (response.ok) request.deadline.lastError = undefined;
    this.#options.logger.debug(`${callOf(request)}: ${response.status || "redirect"} in ${time} ms`);
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      throw this.unexpected(request, "a redirect");
    }
    if (response.ok) return response;
    throw await this.#error(request, response);
  }

  #url(path: string, query: NonNullable<Request["query"]>): URL {
    const url = new URL(path.startsWith("/") ? this.baseUrl + path : path);
    for (const [name, value = []] of Object.entries(query)) {
      for (const each of [value].flat()) url.searchParams.append(name, each);
    }
    return url;
  }

  async #error(request: Request, response: Response): Promise<APIError> {
    const text = await this.#answer(request, {}, response.text());
    const body = parse(text) as { detail?: unknown; code?: unknown } | undefined;
    const { detail, code } = typeof body === "object" && body !== null ? body : {};
    const issues = Array.isArray(detail) ? (detail as Issue[]) : [];
    const answer = {
      status: response.status,
      detail: typeof detail === "string" ? detail : issues.map(issueText).join("; ") || text.slice(0, 200),
      code: typeof code === "string" ? code : undefined,
      requestId: response.headers.get("x-request-id") ?? undefined,
      retryAfter: seconds(response.headers.get("retry-after")),
      issues,
    };
    return errorOf(callOf(request), answer);
  }

  /** Waits for a part of an answer. Rejects with `ConnectionFailed` if it does not arrive. */
  async #answer<Value>(request: Request, { signal }: { signal?: AbortSignal }, part: Promise<Value>): Promise<Value> {
    try {
      return await part;
    } catch (error) {
      request.deadline.signal?.throwIfAborted();
      const reason: unknown = signal?.aborted ? signal.reason : error;
      const way = throughProxy(this.#url(request.path, {}));
      throw new ConnectionFailed(`${callOf(request)}: ${messageOf(reason)}${way}`, { cause: error });
    }
  }
}

/** The names of a path's parameters. */
type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** The method of an operation, and its path with the values of the parameters. */
export function filled<Path extends string>(
  [method, path]: readonly [Request["method"], Path],
  ...[values]: [Names<Path>] extends [never] ? [] : [values: Record<Names<Path>, string>]
): Pick<Request, "method" | "path"> {
  let address: string = path;
  for (const [name, value] of Object.entries<string>(values ?? {})) {
    if (value === "") throw new InvalidArgument(`${name} is ""; accepted: a text that is not empty`);
    address = address.replace(`{${name}}`, encodeURIComponent(value));
  }
  return { method, path: address };
}

function sizeOf(body: Request["body"]): number {
  return body instanceof Blob ? body.size : (body?.length ?? 0);
}

/** Method and path for messages. A query can contain the signature of an upload. */
function callOf({ method, path }: Request): string {
  return `${method} ${path.replace(/\?.*/, "")}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function issueText({ loc, msg }: Issue): string {
  return `${loc.join(".")}: ${msg}`;
}

/** Seconds of a header `Retry-After`, which is a number or a date. */
function seconds(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const value = Number(retryAfter);
  const until = Number.isNaN(value) ? (Date.parse(retryAfter) - Date.now()) / 1_000 : value;
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}

/** fetch hides the reason of a failure in `cause`. */
function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
