import type { IncomingMessage } from "node:http";

/** HTTP statuses without a body. A `Response` rejects a body for them. */
export const bodilessStatuses = new Set([101, 204, 205, 304]);

/** Converts the headers of a node:http message for a `Response`. */
export function toHeaders({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}
