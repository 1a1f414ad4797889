/**
 * An HTTP request as handlers read it, whichever host received it. `server/lambda.ts` makes it from an API Gateway event,
 * `server/node-server.ts` from a node:http request.
 */
export interface ApiRequest {
  id: string;
  method: string;
  /** Percent-decoded, without the query. */
  path: string;
  query: URLSearchParams;
  /** The parameters in the path: `agent_id`. */
  parameters: Record<string, string | undefined>;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  /**
   * Receives the whole body, calls `parse` with it, empty if there is none, and resolves with its value. Called once, for
   * a caller with a valid credential. The body can be 20 MB, so large ones are parsed one after the other, and `parse`
   * should not keep them. Rejects if the host could not receive it.
   */
  parseBody: <Value>(parse: (body: string | Uint8Array) => Promise<Value>) => Promise<Value>;
  /** Returns a signal that aborts when the client is gone, or the server closes. Absent: the host cannot tell. */
  whileConnected?: () => AbortSignal;
  /**
   * Returns the body as it arrives, for operations that store it on the way; `parseBody` is not called then. It can be read once.
   * Absent: the host receives bodies as a whole. Throws an `HttpError` if the client disconnects or stops sending.
   */
  bodyChunks?: () => AsyncIterable<Uint8Array>;
}

/** Text or bytes that are sent as they become available. They end soon after `signal` aborts: the client is gone, or the server closes. */
export type StreamBody = (signal: AbortSignal) => AsyncIterable<string | Uint8Array>;

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | StreamBody;
  /** Whose bytes are limited while the response waits for a client that does not read. Absent: the credential's. */
  reader?: string;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;

/** A JSON response. `body`: a value, or JSON text. */
export function jsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}
