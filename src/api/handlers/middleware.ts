import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { log } from "../../log.ts";
import { ServiceError } from "../../errors.ts";
import { authenticate, type Principal } from "../../accounts/authenticate.ts";
import type { CreateInput } from "../../runs/create-run.ts";
import type { Accounts } from "../../accounts/types.ts";
import { readCreateBody } from "../validation/create-body.ts";
import { InvalidRequest, statusOf } from "./errors.ts";
import { validateRunId } from "../validation/issues.ts";

/**
 * An API Gateway event of payload format 2.0, as far as handlers read it; our own servers make the same, but give a
 * large body as the bytes they received (`rawBody`): as a text it would be there twice, or three times if not ASCII.
 */
export type ApiEvent = Pick<APIGatewayProxyEventV2, "headers" | "rawPath" | "isBase64Encoded"> &
  Partial<Pick<APIGatewayProxyEventV2, "body" | "pathParameters">> & {
    requestContext: { requestId: string; http: { method: string } };
    rawBody?: Uint8Array;
  };

/** What the middlewares below add to it. `caller` is a look-up under way: it rejects with the 401. */
export interface Authenticated {
  caller: Promise<Principal>;
}
export interface WithCreateBody {
  input: CreateInput;
}
export interface WithRunId {
  runId: string;
}

export type ApiResponse = APIGatewayProxyStructuredResultV2;
export type Middleware<Event> = MiddlewareObj<Event, ApiResponse>;
export type ApiHandler = (event: ApiEvent) => Promise<ApiResponse>;

const requestIdHeader = "x-request-id";

/** The chain around every operation's handler. `Added` is what its middlewares add to the event. */
export function operation<Added>(
  handler: (event: ApiEvent & Added) => Promise<ApiResponse>,
  ...middlewares: Middleware<never>[]
): ApiHandler {
  const handle = middy<ApiEvent & Added, ApiResponse>()
    .use([answers, ...middlewares] as Middleware<ApiEvent & Added>[])
    .handler(handler);
  return (event) => handle(event as ApiEvent & Added, {} as Context);
}

/** A JSON answer. */
export function jsonResponse(statusCode: number, body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return {
    statusCode,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** Starts looking up who calls, without waiting: an operation that only reads does so at the same time. */
export function withCaller(deps: { accounts: Accounts }): Middleware<ApiEvent & Partial<Authenticated>> {
  return {
    before: ({ event }) => {
      event.caller = authenticate(deps, keyOf(event.headers));
      event.caller.catch(() => {}); // whoever awaits it gets the rejection
    },
  };
}

/** Waits for the caller, then parses and validates the create body. The raw text is let go: it may be 14 MB. */
export const withCreateBody: Middleware<ApiEvent & Authenticated & Partial<WithCreateBody>> = {
  before: async ({ event }) => {
    await event.caller;
    const { rawBody, body: text = "", isBase64Encoded } = event;
    const raw = rawBody ?? (isBase64Encoded ? Buffer.from(text, "base64") : text);
    delete event.body;
    delete event.rawBody;
    const body = readCreateBody(raw, event.headers["content-type"]);
    if ("issues" in body) throw new InvalidRequest(body.issues);
    event.input = body.value;
  },
};

/** Validates the path's run id; an unknown caller learns nothing but that. */
export const withRunId: Middleware<ApiEvent & Authenticated & Partial<WithRunId>> = {
  before: async ({ event }) => {
    const checked = validateRunId(event.pathParameters?.["agent_id"] ?? "");
    if ("issues" in checked) {
      await event.caller;
      throw new InvalidRequest(checked.issues);
    }
    event.runId = checked.value;
  },
};

/** The one door for errors, and the request id on every answer. */
const answers: Middleware<ApiEvent> = {
  after: (request) => {
    if (request.response) sign(request.event, request.response);
  },
  onError: (request) => {
    request.response = errorAnswer(request.error, request.event.requestContext.requestId);
    sign(request.event, request.response);
  },
};

function sign(event: ApiEvent, response: ApiResponse): void {
  response.headers = { ...response.headers, [requestIdHeader]: event.requestContext.requestId };
}

function errorAnswer(error: unknown, requestId: string): ApiResponse {
  if (error instanceof InvalidRequest) return jsonResponse(422, { detail: error.issues });
  if (error instanceof ServiceError) {
    const status = statusOf[error.code];
    if (status >= 500) log("error", error.message, { requestId, error });
    return jsonResponse(status, { detail: error.message }, status === 401 ? { "www-authenticate": "Bearer" } : {});
  }
  log("error", "unforeseen error", { requestId, error });
  return jsonResponse(500, { detail: "Internal Server Error" });
}

/** Specification section 5: a Bearer credential counts; else `X-API-Key`. Both as API Gateway gives them, lower case. */
function keyOf(headers: ApiEvent["headers"]): string | undefined {
  const bearer = /^bearer[ \t]+(.+)$/i.exec(headers["authorization"]?.trim() ?? "")?.[1];
  return bearer?.trim() || headers["x-api-key"]?.trim() || undefined;
}
