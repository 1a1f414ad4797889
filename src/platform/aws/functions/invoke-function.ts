import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { pause } from "../../../async/backoff.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { log } from "../../../log.ts";
import { type AwsCredentials, signedHeaders } from "../sdk/sign-request.ts";

/** Log message of a call that Lambda or the function's tenancy rejected. An alarm counts it. */
export const rejectedCall = "the sandbox function rejected a call";

/** A function of the sandbox. */
export interface SandboxFunction {
  /** `endpoint`: Lambda's, whose domain depends on the partition, or that of a compatible service. */
  aws: AwsCredentials & { endpoint: string };
  functionName: string;
  /** What errors call it: the `sandbox` function, which is the default, or another one. */
  name?: string;
  /**
   * Lambda does not share execution environments between tenants (1 to 256 letters, digits and hyphens). Absent: the function
   * has no tenant isolation, and Lambda refuses calls that name one.
   */
  tenant?: string | undefined;
}

/** Seconds between two signs of life on an idle connection: networks drop those that are quiet for some minutes. */
const keepAliveSeconds = 30;

/** Milliseconds. A permission of a deployment takes effect within seconds, sometimes minutes: the workflow waits for longer. */
const permissionWaits = [500, 1_500, 3_000];

/**
 * Invokes a function and waits for its answer, for up to 15 minutes. Rejects with `StoreUnavailable` when it cannot be invoked
 * now, and with the signal's reason. `problem`: the function or Lambda failed. One sentence.
 */
export async function invokeFunction(
  fn: SandboxFunction,
  event: unknown,
  limits: { signal: AbortSignal; seconds: number },
): Promise<{ answer: unknown } | { problem: string }> {
  const { functionName, name = "sandbox" } = fn;
  let response = await invoke(fn, event, limits);
  for (const wait of permissionWaits) {
    if (response.status !== 403) break;
    await pause(wait, limits.signal);
    response = await invoke(fn, event, limits);
  }
  const { status } = response;
  const beginning = response.text.slice(0, 300);
  if (isTransient(status)) throw unavailable(`status ${status}: ${beginning}`, { name });
  if (status !== 200) log("error", rejectedCall, { function: functionName, status, answer: beginning });
  if (status === 403) throw unavailable("status 403: the caller may not invoke it", { name }); // the answer has ARNs
  if (status !== 200) return { problem: `The ${name} function rejected the call (status ${status}).` };
  const answer = JSON.parse(response.text) as { errorMessage?: string } | null;
  if (answer?.errorMessage === undefined) return { answer };
  return { problem: `The ${name} function failed: ${answer.errorMessage || "it gave no reason"}.` };
}

/** One call. Resolves with Lambda's response, whatever its status is. */
async function invoke(
  { aws, functionName, name, tenant }: SandboxFunction,
  event: unknown,
  { signal, seconds }: { signal: AbortSignal; seconds: number },
): Promise<{ status: number; text: string }> {
  const url = new URL(`/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`, aws.endpoint);
  const body = JSON.stringify(event);
  const further = tenant === undefined ? {} : { "x-amz-tenant-id": tenant };
  const headers = await signedHeaders({ aws, service: "lambda", method: "POST", url, body, headers: further });
  const timeout = AbortSignal.timeout(seconds * 1_000);
  return send(url, headers, body, AbortSignal.any([signal, timeout])).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unavailable(String(error), { name, cause: error });
  });
}

/** `name`: what errors call the function. */
export function unavailable(
  reason: string,
  { name = "sandbox", cause }: { name?: string | undefined; cause?: unknown } = {},
): StoreUnavailable {
  return new StoreUnavailable(`the ${name} function did not answer (${reason}); try again later`, { cause });
}

/** Throttling, an outage, or 409: Lambda is reconnecting an idle function to its VPC. */
function isTransient(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}

/** `fetch` gives up after five minutes without an answer. */
function send(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const length = Buffer.byteLength(body);
  // A connection of its own: one that is reused may have been closed, and a program would run again.
  const options = { method: "POST", headers: { ...headers, "content-length": length }, signal, agent: false };
  request(url, options, (response) => {
    text(response).then((answer) => resolve({ status: response.statusCode ?? 0, text: answer }), reject);
  })
    .once("socket", (socket) => socket.setKeepAlive(true, keepAliveSeconds * 1_000))
    .once("error", reject)
    .end(body);
  return promise;
}
