import type { Sandbox, SandboxResult } from "../../sandbox/types.ts";
import { maxFileMegabytes, encodeMessage, decodeResult } from "../../sandbox/codec.ts";
import { sandboxLimits } from "../../sandbox/limits.ts";
import { log } from "../../log.ts";
import { StoreUnavailable } from "../../errors.ts";
import { type Caller, signedHeaders } from "./signature.ts";

/** Beyond the program's own seconds: a cold start of the function, and both messages. */
const slackSeconds = 30;

/**
 * The sandbox in a function of its own, which may do nothing else. Rejects with `StoreUnavailable` when the function
 * can't be called now. `endpoint`: another service that speaks Lambda's wire. `tenant`: whose environments of the
 * function are used, and nobody else's (1 to 256 letters, digits and hyphens, as ids are).
 */
export function lambdaSandbox(caller: Caller & { endpoint?: string }, functionName: string, tenant: string): Sandbox {
  const base = caller.endpoint ?? `https://lambda.${caller.region}.amazonaws.com`;
  const url = new URL(`/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`, base);
  return {
    maxBytes: sandboxLimits.filesBytes,
    async run(request, signal) {
      const message = encodeMessage(request);
      if (message === undefined) {
        const names = request.files.map(({ name }) => name).join(", ");
        return withoutResult(
          `The files are too large for the sandbox: more than ${maxFileMegabytes} MB when compressed (${names}). ` +
            "Name fewer in files.",
        );
      }
      const body = JSON.stringify({ request: message });
      const timeout = AbortSignal.timeout((request.seconds + slackSeconds) * 1_000);
      const response = await send({ url, caller, tenant, body }, AbortSignal.any([signal, timeout])).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw unavailable(String(error), error);
        },
      );
      const { status } = response;
      if (isTransient(status)) throw unavailable(`status ${status}: ${response.text.slice(0, 300)}`);
      if (status !== 200) {
        log("error", "the sandbox's function refuses calls", { status, answer: response.text.slice(0, 300) });
        return withoutResult(`Programs can't be run now: the service's sandbox refuses calls (status ${status}).`);
      }
      const answer = JSON.parse(response.text) as { result?: string; errorMessage?: string };
      if (answer.result) return decodeResult(answer.result);
      return withoutResult(`The program's sandbox ended with it: ${answer.errorMessage ?? "it gave no reason"}.`);
    },
  };
}

function withoutResult(problem: string): SandboxResult {
  return { output: "", problem, written: [], notes: [] };
}

function unavailable(reason: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`the sandbox's function did not answer (${reason}); try again later`, { cause });
}

/** Throttled, an outage, or 409: the function's connection to its network is being made again after weeks of rest. */
function isTransient(status: number): boolean {
  return status === 409 || status === 429 || status >= 500;
}

interface Invoke {
  url: URL;
  caller: Caller;
  tenant: string;
  body: string;
}

async function send({ url, caller, tenant, body }: Invoke, signal: AbortSignal) {
  const further = { "x-amz-tenant-id": tenant };
  const headers = signedHeaders({ caller, service: "lambda", method: "POST", url, body, headers: further });
  const response = await fetch(url.href, { method: "POST", headers, body, signal });
  return { status: response.status, text: await response.text() };
}
