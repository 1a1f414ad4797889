import { join } from "node:path";
import { childProcessSandbox } from "../src/sandbox/child-process.ts";
import { libraryPath } from "../src/env.ts";
import { maxFileMegabytes, encodeMessage, decodeRequest } from "../src/sandbox/codec.ts";

declare const __dirname: string;

// The folder of the function's code, which is bundled as CommonJS.
const folder = import.meta.dirname ?? __dirname;

/** `child.mjs` is the bundle of `src/sandbox/child.ts`. The packages of the engines are beside it, not bundled. */
const sandbox = childProcessSandbox({
  program: join(folder, "child.mjs"),
  readable: [folder],
  maxProcesses: 1,
  environment: libraryPath(),
});

/** Runs one program. Messages are encoded by `src/sandbox/codec.ts`. Written files that do not fit are dropped. */
export async function handler({ request }: { request: string }): Promise<{ result: string }> {
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
