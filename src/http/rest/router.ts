import { StoreUnavailable } from "../../errors.ts";
import { credentialCheck } from "../credential-check.ts";
import { type ApiHandler, type ApiRequest, type ApiResponse, jsonResponse } from "../handler.ts";
import { withErrorResponses } from "../middleware.ts";
import { routeTable } from "../route-table.ts";
import { WithHeaders } from "./call.ts";
import type { ApiErrors, SharedErrorCode } from "./errors.ts";
import type { TypedOperation } from "./operation.ts";
import { withSecurityHeaders } from "./security-headers.ts";
import { requireHonoredKey, type Validators, validBody, validParameters } from "./validate.ts";

/**
 * Who sends a request. Rejects with a `ServiceError` for a request without a valid credential. `isRepeated`: the request lasts,
 * and its credential is checked again, which is no further request of the caller's rate.
 */
export type Authenticate<Principal> = (request: ApiRequest, isRepeated?: boolean) => Promise<Principal>;

/** What a router needs of an API. `Entry`: what the API knows about each operation. */
export interface RestApi<Name extends string, Entry extends TypedOperation, Principal> {
  operations: Record<Name, Entry>;
  validators: Validators;
  errors: ApiErrors<SharedErrorCode>;
  /** Throws for a caller that may not call an operation. Default: all may. */
  authorize?: (principal: Principal, operation: Entry) => void;
  /** Rejects for a caller that may not use what a validated request names. Default: all may. */
  authorizeCall?: (principal: Principal, operation: Entry, named: object) => Promise<void>;
  /** See `ApiResponse`. Default: the credential. */
  readerOf?: (principal: Principal) => string | undefined;
  /** The caller of an operation that takes no credential. */
  nobody: Principal;
}

type Handler<Principal> = (call: AnyCall<Principal>) => Promise<unknown>;

/** A validated request of any operation. */
interface AnyCall<Principal> {
  request: ApiRequest;
  principal: Principal;
  caller: () => Promise<Principal>;
  path: object;
  query: object;
  body: object | undefined;
}

/**
 * An API as one handler. For each request, in this order: finds the operation (404, 405), authenticates (401), authorizes
 * (403), validates parameters and body (422), checks what they name (404, 403), and calls the operation's handler. An
 * operation without a handler is a 404. `HEAD` is answered as `GET`, without a body, and `OPTIONS` with the methods. A
 * credential that ends while a body arrives or a stream is sent ends the request, too.
 */
export function restRouter<Name extends string, Entry extends TypedOperation, Principal>(
  api: RestApi<Name, Entry, Principal>,
  handlers: Partial<Record<Name, (call: never) => Promise<unknown>>>,
  authenticate: Authenticate<Principal>,
): ApiHandler {
  const { operations, validators, errors, authorize, authorizeCall, readerOf, nobody } = api;
  const routes = routeTable(operations);

  async function respond(received: ApiRequest): Promise<ApiResponse> {
    const { method, path: at } = received;
    const found = routes.find(method === "HEAD" ? "GET" : method, at);
    if (!found) return respondWithMethods(method, routes.methodsOf(at));
    const { name, parameters } = found;
    const handler = handlers[name] as Handler<Principal> | undefined;
    if (!handler) throw errors.error("not_found");
    const request = { ...received, parameters };
    const operation = operations[name];
    if (!operation.authenticated) {
      return call(handler, request, { principal: nobody, caller: async () => nobody }, operation);
    }
    const principal = await authenticate(request);
    const credential = credentialCheck(principal, () => authenticate(request, true));
    const { caller, guardBody } = credential;
    const response = await call(handler, guardBody(request), { principal, caller }, operation);
    const { body } = response;
    const reader = readerOf?.(principal);
    const read = reader === undefined ? response : { ...response, reader };
    return typeof body === "function" ? { ...read, body: credential.guardStream(body) } : read;
  }

  /** To a request without an operation. `methods`: those of the operations of its path. */
  function respondWithMethods(method: string, methods: string[]): ApiResponse {
    if (methods.length === 0) throw errors.error("not_found");
    const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    if (method === "OPTIONS") return { status: 204, headers: { allow }, body: "" };
    throw errors.error("method_not_allowed", undefined, { allow });
  }

  async function call(
    handler: Handler<Principal>,
    request: ApiRequest,
    { principal, caller }: Pick<AnyCall<Principal>, "principal" | "caller">,
    operation: Entry,
  ): Promise<ApiResponse> {
    authorize?.(principal, operation);
    requireHonoredKey(operation, request);
    const { path, query } = validParameters(validators, operation, request);
    const body = await validBody(validators, operation, request);
    if (operation.authenticated) await authorizeCall?.(principal, operation, { ...query, ...body, ...path });
    return responseOf(operation, await handler({ request, principal, caller, path, query, body }));
  }

  const handle = withErrorResponses(async (request) => {
    try {
      return await respond(request);
    } catch (error) {
      throw error instanceof StoreUnavailable && !error.full ? storeUnavailable(errors, error) : error;
    }
  }, errors.format);
  return async (request) => {
    const response = withSecurityHeaders(await handle(request));
    return request.method === "HEAD" ? withoutBody(response) : response;
  };
}

function responseOf({ status }: TypedOperation, answer: unknown): ApiResponse {
  if (answer === undefined) return { status, headers: {}, body: "" };
  if (answer instanceof WithHeaders) return jsonResponse(status, answer.json, answer.headers);
  return isResponse(answer) ? answer : jsonResponse(status, answer);
}

/** No schema of an answer has these three fields. */
function isResponse(answer: unknown): answer is ApiResponse {
  const { status, headers, body } = answer as Partial<ApiResponse>;
  return typeof status === "number" && headers !== undefined && body !== undefined;
}

/** The answer to `HEAD`: that to `GET`, without its body. A stream is not opened. */
function withoutBody(response: ApiResponse): ApiResponse {
  const { headers, body } = response;
  if (typeof body === "function") return { ...response, body: "" };
  return { ...response, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body: "" };
}

function storeUnavailable(errors: ApiErrors<SharedErrorCode>, cause: StoreUnavailable): Error {
  return Object.assign(errors.error("store_unavailable", undefined, { "retry-after": "5" }), { cause });
}
