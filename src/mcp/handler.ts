import { randomUUID } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { authenticate, forAgent, type Principal } from "../accounts/authenticate.ts";
import { extRunHandlers } from "../ext/handlers/runs.ts";
import { credentialCheck } from "../http/credential-check.ts";
import { HttpError } from "../http/errors.ts";
import type { ApiHandler, ApiRequest, ApiResponse } from "../http/handler.ts";
import { apiKeyOf, withErrorResponses } from "../http/middleware.ts";
import { parseJsonBody, textOf, withoutByteOrderMark } from "../http/validation/parse-json.ts";
import { isObject, parseExact } from "../json.ts";
import { ServiceError, StoreUnavailable } from "../errors.ts";
import { log } from "../log.ts";
import { type RunDescriber, runDescriber, runStateOf } from "../runs/read/describe-runs.ts";
import { addressIn } from "./address.ts";
import type { McpCall, McpDeps } from "./call.ts";
import { badRequest, errorFormat, unavailableText, uploadsAdvice } from "./mcp-errors.ts";
import { mcpPath } from "./path.ts";
import { mcpServer } from "./server.ts";
import type { Named, ToolName } from "./tool-names.ts";

/**
 * The MCP endpoint: streamable HTTP without sessions, for the protocol versions 2025-11-25 and 2026-07-28. Each request is
 * independent of others, and its response is complete, so that a Lambda function can serve it; only progress is streamed,
 * where the host can. The key of an agent authenticates it; it serves one
 * agent of the key, the first one unless the address names another.
 */
export function mcpHandler(deps: McpDeps): ApiHandler {
  const describer = runDescriber(deps);
  // Tools report only the id, status and state of a run that they change: nothing else is read for it.
  const brief: RunDescriber = { ...describer, describe: async (run) => ({ run, state: runStateOf(run) }) };
  const shared = { ...deps, describer, handlers: extRunHandlers(deps, brief) };
  return withErrorResponses(async (request) => {
    if (request.method !== "POST") throw methodNotAllowed();
    try {
      const holder = await authenticate(deps, apiKeyOf(request.headers));
      const { named, agent } = addressIn(request.query);
      const principal = asMcp(forAgent(holder, agent));
      const { accounts } = deps;
      const again = () => authenticate({ accounts }, apiKeyOf(request.headers));
      const credential = credentialCheck(principal, async () => asMcp(forAgent(await again(), agent)));
      const received = await receive(credential.guardBody(request), named);
      const { whileConnected } = request;
      const client = { signal: whileConnected?.() ?? never, streams: whileConnected !== undefined };
      const call = { ...shared, ...client, principal, credential, request, origin: originOf(request), named };
      return await serve(call, request, received);
    } catch (error) {
      throw error instanceof StoreUnavailable && !error.full ? storeUnavailable(error) : error;
    }
  }, errorFormat);
}

/** The holder of a key as an MCP client: what it starts is recorded as such. */
function asMcp(principal: Principal): Principal {
  return { ...principal, ...(principal.starter && { starter: { ...principal.starter, kind: "mcp" } }) };
}

const never = new AbortController().signal;

function methodNotAllowed(): HttpError {
  const message = "Method not allowed: this endpoint has no sessions and no streams; send requests with POST";
  return new HttpError(405, message, { code: "method_not_allowed", headers: { allow: "POST" } });
}

function storeUnavailable(cause: StoreUnavailable): HttpError {
  return new HttpError(503, unavailableText, { code: "store_unavailable", headers: { "retry-after": "5" }, cause });
}

/** A JSON-RPC message, as far as this module reads it. */
interface Message {
  id?: unknown;
  method?: unknown;
  params?: { name?: unknown; _meta?: { progressToken?: unknown } | null } | null;
}

/**
 * Characters of the longest message of other tools than those that take texts and files. The server handles few large
 * bodies at a time, and must not let one wait with `wait_for_run`.
 */
const maxSmallMessage = 64 * 1024;
const largeTools = ["start_run", "send_input", "answer_call"] as const satisfies ToolName[];

/** `longId`: the digits of an id that JavaScript rounds. The message has `standIn` in its place. */
interface Received {
  message: Message;
  longId?: { digits: string; standIn: string };
}

/** Parses the body. Rejects for anything but one JSON-RPC message: batches are not part of the protocol any more. */
async function receive({ headers, parseBody }: ApiRequest, named: Named): Promise<Received> {
  const { length, parsed, digits } = await parseBody(async (raw) => {
    const body = await parseJsonBody(raw, headers["content-type"], ["params", "arguments", "output"]);
    return { length: raw.length, parsed: body, digits: "value" in body ? longIdIn(body.value, raw) : undefined };
  }).catch((error: unknown) => Promise.reject(explained(error)));
  if ("issues" in parsed) {
    const [first] = parsed.issues;
    throw badRequest("parse_error", `Parse error: ${first?.ctx?.["error"] ?? first?.msg}`);
  }
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("invalid_request", "Invalid Request: expected one JSON-RPC message as a JSON object");
  }
  const message: Message = value;
  const large = largeTools.map(named);
  if (length > maxSmallMessage && !large.some((name) => name === message.params?.name)) throw tooLong(large);
  if (digits === undefined) return { message };
  const standIn = randomUUID();
  return { message: { ...message, id: standIn }, longId: { digits, standIn } };
}

/** The digits of an id beyond 2^53, which other languages send. Undefined: there is none. */
function longIdIn(message: unknown, raw: string | Uint8Array): string | undefined {
  const id = isObject(message) ? message["id"] : undefined;
  if (typeof id !== "number" || Number.isSafeInteger(id)) return undefined;
  return JSON.stringify((parseExact(withoutByteOrderMark(textOf(raw))) as Message).id);
}

function tooLong(tools: string[]): HttpError {
  const message = `Invalid Request: only ${new Intl.ListFormat("en").format(tools)} accept more than ${maxSmallMessage} characters`;
  return new HttpError(413, message, { code: "invalid_request" });
}

function explained(error: unknown): unknown {
  if (!(error instanceof ServiceError && error.code === "files_too_large")) return error;
  return new ServiceError(error.code, `The request is too large. ${uploadsAdvice}`);
}

async function serve(call: McpCall, request: ApiRequest, { message, longId }: Received): Promise<ApiResponse> {
  const server = await mcpServer(call, message.method);
  let failure: Error | undefined;
  const { accept, takesStream } = acceptOf(request);
  const handler = createMcpHandler(() => server, {
    maxSubscriptions: 0, // nothing of this server changes while a client listens
    keepAliveMs: 0, // a response is sent as a whole
    onerror: (error) => (failure = error),
  });
  const response = await handler.fetch(httpRequest(request, accept), { parsedBody: message });
  if (response.status >= 500) log("error", "MCP request failed", { requestId: call.request.id, error: failure });
  response.headers.delete("connection"); // whether the connection is kept is the server's decision
  const { status, headers, body } = response;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const inPieces = call.streams && message.params?._meta?.progressToken !== undefined && !longId;
  if (isStream && takesStream && inPieces && body) {
    return { status, headers: Object.fromEntries(headers), body: () => body };
  }
  const text = await response.text();
  const whole = longId ? text.replaceAll(`"${longId.standIn}"`, longId.digits) : text;
  if (!isStream || takesStream) return { status, headers: Object.fromEntries(headers), body: whole };
  return { status, headers: { "content-type": "application/json" }, body: answerIn(whole) };
}

/** The response to a request, in an event stream that is complete. Each event is one line of JSON; others are notifications. */
function answerIn(stream: string): string {
  return [...stream.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? "";
}

/**
 * Which form of a response the client takes, and what the SDK is told of it: it serves only clients that name both forms
 * (modelcontextprotocol/typescript-sdk#1944). A client that does not name event streams gets JSON.
 */
function acceptOf({ headers: { accept = "*/*" } }: ApiRequest): { accept: string; takesStream: boolean } {
  const takesStream = /text\/event-stream/i.test(accept);
  const isKnown = takesStream || /\*\/\*|application\/(json|\*)/i.test(accept);
  return { accept: isKnown ? "application/json, text/event-stream" : accept, takesStream };
}

/** The request without its body, its credentials and its signal: a create whose client has left is completed. */
function httpRequest({ headers }: ApiRequest, accept: string): Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value !== undefined && /^(content-type|mcp-.*)$/.test(name) ? [[name, value]] : [],
  );
  return new Request(`http://localhost${mcpPath}`, { method: "POST", headers: [...passed, ["accept", accept]] });
}

/** A reverse proxy and API Gateway say which protocol the client used. */
function originOf({ headers }: ApiRequest): string {
  const protocol = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  return `${protocol}://${headers["host"] ?? "localhost"}`;
}
