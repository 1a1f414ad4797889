import type { Sandbox, SandboxResult } from "../../sandbox/types.ts";
import { maxFileMegabytes, encodeMessage, decodeResult } from "../../sandbox/codec.ts";
import { sandboxLimits } from "../../sandbox/limits.ts";
import { invokeFunction, type SandboxFunction } from "./invoke-function.ts";

/** Added to the time limit of the program: the cold start of the function and both messages. */
const overheadSeconds = 30;

/**
 * A sandbox in a Lambda function without permissions. Rejects with `StoreUnavailable` when the function cannot be invoked
 * now.
 */
export function lambdaSandbox(fn: SandboxFunction): Sandbox {
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
      const seconds = request.seconds + overheadSeconds;
      const invoked = await invokeFunction(fn, { request: message }, { signal, seconds });
      if ("problem" in invoked) return withoutResult(invoked.problem);
      const { result } = invoked.answer as { result?: string };
      return result ? decodeResult(result) : withoutResult("The sandbox function failed: it gave no reason.");
    },
  };
}

function withoutResult(problem: string): SandboxResult {
  return { output: "", problem, written: [], notes: [] };
}
