import middy from "@middy/core";
import { bundledSandbox } from "../src/platform/aws/functions/bundled-sandbox.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import type { Sandbox } from "../src/sandbox/sandbox-types.ts";
import { maxFileMegabytes, encodeMessage, decodeRequest } from "../src/sandbox/codec.ts";

/** One process: Lambda gives a function one program at a time. */
export const sandbox: Sandbox = bundledSandbox(1);

/** Runs one program. Messages are encoded by `src/sandbox/codec.ts`. Written files that do not fit are dropped. */
export async function runProgram({ request }: { request: string }): Promise<{ result: string }> {
  const result = await sandbox.run(decodeRequest(request), new AbortController().signal);
  const message = encodeMessage(result);
  if (message !== undefined) return { result: message };
  const names = result.written.map(({ name }) => name).join(", ");
  const notes = [
    ...result.notes,
    `Not saved, because they have more than ${maxFileMegabytes} MB together when compressed: ${names}.`,
  ];
  return { result: encodeMessage({ ...result, written: [], notes }) ?? "" };
}

export const handler = middy<{ request: string }, { result: string }>(noEarlyTimeout).handler(runProgram);
