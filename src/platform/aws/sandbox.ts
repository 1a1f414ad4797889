import type { Sandbox, SandboxResult } from "../../sandbox/types.ts";
import { maxFileMegabytes, encodeMessage, decodeResult } from "../../sandbox/codec.ts";
import { sandboxLimits } from "../../sandbox/limits.ts";
import { log } from "../../log.ts";
import { StoreUnavailable } from "../../errors.ts";
import { type AwsCredentials, signedHeaders } from "./sign-request.ts";

/** Log message of a call that Lambda or the function's tenancy rejected. An alarm counts it. */
export const rejectedCall = "the sandbox function rejected a call";

/** Added to the time limit of the program: the cold start of the function and both messages. */
const overheadSeconds = 30;

/**
 * A sandbox in a Lambda function without permissions. Rejects with `StoreUnavailable` when the function cannot be invoked
 * now. `tenant`: Lambda does not share execution environments between tenants (1 to 256 letters, digits and hyphens).
 * `endpoint`: Lambda's, whose domain depends on the partition, or that of a compatible service.
 */
export function lambdaSandbox(
  aws: AwsCredentials & { endpoint: string },
  functionName: string,
  tenant: string,
): Sandbox {
  const url = new URL(`/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`, aws.endpoint);
  return {
    maxBytes: sandboxLimits.filesBytes,
    async run(request, signal) {
      const message = encodeMessage(request);
      if (message === undefined) {
        const names = request.files.map(({ name }) => name).join(", ");
        return withoutResult(
          `The files are too large for the sandbox: more than ${maxFileMegabytes} MB when compressed (${names}). ` +
            "Name fewer in files, or pass fewer lines.",
        );
      }
      const body = JSON.stringify({ request: message });
      const timeout = AbortSignal.timeout((request.seconds + overheadSeconds) * 1_000);
      const response = await send({ url, aws, tenant, body }, AbortSignal.any([signal, timeout])).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw unavailable(String(error), error);
        },
      );
      const { status } = response;
      if (isTransient(status)) throw unavailable(`status ${status}: ${response.text.slice(0, 300)}`);
      if (status !== 200) {
        log("error", rejectedCall, { status, answer: response.text.slice(0, 300) });
        return withoutResult(`Programs cannot run: the sandbox function rejected the call (status ${status}).`);
      }
      const answer = JSON.parse(response.text) as { result?: string; errorMessage?: string };
      if (answer.result) return decodeResult(answer.result);
      return withoutResult(`The sandbox function failed: ${answer.errorMessage ?? "it gave no reason"}.`);
    },
  };
}

function withoutResult(problem: string): SandboxResult {
  return { output: "", problem, written: [], notes: [] };
}

function unavailable(reason: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`the sandbox function did not answer (${reason}); try again later`, { cause });
}

/** Throttling, an outage, or 409: Lambda is reconnecting an idle function to its VPC. */
function isTransient(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}

interface Invoke {
  url: URL;
  aws: AwsCredentials;
  tenant: string;
  body: string;
}

async function send({ url, aws, tenant, body }: Invoke, signal: AbortSignal) {
  const further = { "x-amz-tenant-id": tenant };
  const headers = await signedHeaders({ aws, service: "lambda", method: "POST", url, body, headers: further });
  const response = await fetch(url.href, { method: "POST", headers, body, signal });
  return { status: response.status, text: await response.text() };
}
