import type { IncomingMessage } from "node:http";

/** Statuses that have no body, for which a Response takes none. */
export const bodilessStatuses = new Set([101, 204, 205, 304]);

/** What node:http received, as a Response takes it. */
export function toHeaders({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}
