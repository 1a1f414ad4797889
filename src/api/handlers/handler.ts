/**
 * An HTTP request as handlers read it, whichever host received it. `server/lambda.ts` makes it from an API Gateway event,
 * `server/node-server.ts` from a node:http request.
 */
export interface ApiRequest {
  id: string;
  method: string;
  /** Percent-decoded, without the query. */
  path: string;
  /** The parameters in the path: `agent_id`. */
  parameters: Record<string, string | undefined>;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  /**
   * Returns the whole body, empty if there is none. Rejects if the host could not receive it. Callers should not keep
   * the result: it can be 20 MB.
   */
  readBody: () => Promise<string | Uint8Array>;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
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
