import { withTimeout } from "../async/with-timeout.ts";
import type { AddressScope } from "../net/addresses.ts";
import { AddressRefused, safeFetch } from "../net/safe-fetch.ts";
import { retryAfter } from "../net/retry-after.ts";
import type { DeliveryAttempt } from "../runs/deliveries.ts";
import type { WebhookRequest } from "./message.ts";

/** Seconds that a receiver has for its answer, as Standard Webhooks suggests. */
const timeoutSeconds = 15;

const maxProblemLength = 200;

export interface Post extends WebhookRequest {
  url: string;
  /** Whether the URL may be `http:` and lead to the addresses of `addresses`; otherwise, to public ones only. */
  privateAddresses: boolean;
  addresses: AddressScope;
  signal: AbortSignal;
}

/**
 * What came of a message. `refused`: the URL is not accepted, so nothing was sent and no other attempt can help. `retryAfter`:
 * the milliseconds that the receiver asks to wait.
 */
type Posted = Pick<DeliveryAttempt, "status" | "problem"> & { refused?: true; retryAfter?: number };

/**
 * Sends a message. The body of the answer is not read. Without `problem`, the receiver accepted it. Rejects with the reason
 * of `signal` only.
 */
export async function post(request: Post): Promise<Posted> {
  const sent = await withTimeout(timeoutSeconds * 1_000, request.signal, (limit) =>
    send(request, limit).catch((error: unknown): Posted => {
      limit.throwIfAborted();
      return { problem: clauseOf(error), ...(error instanceof AddressRefused && { refused: true }) };
    }),
  );
  return sent.timedOut ? { problem: `no answer came within ${timeoutSeconds} seconds` } : sent.value;
}

async function send({ url, body, headers, privateAddresses, addresses }: Post, signal: AbortSignal): Promise<Posted> {
  const isHttps = URL.parse(url)?.protocol === "https:";
  if (!isHttps && !privateAddresses) return { problem: "the URL does not begin with https:", refused: true };
  const fetch = safeFetch({ addresses: privateAddresses ? addresses : "public" });
  const response = await fetch(url, { method: "POST", body, headers, signal });
  await response.body?.cancel();
  const { status } = response;
  const problem = problemOf(status);
  if (problem === undefined) return { status };
  const wait = retryAfter(response.headers.get("retry-after"));
  return { status, problem, ...(wait !== undefined && { retryAfter: wait }) };
}

function problemOf(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) return "redirects are not followed; set the URL it redirects to";
  return status === 410 ? "the receiver is gone" : "the status is not 2xx";
}

/** An error of several connection attempts has no message. */
function clauseOf(error: unknown): string {
  const { message, code = "the connection failed" } = error as NodeJS.ErrnoException;
  return (message || code).slice(0, maxProblemLength);
}
