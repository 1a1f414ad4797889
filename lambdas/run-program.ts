import { join } from "node:path";
import { childProcessSandbox } from "../src/sandbox/child-process.ts";
import { libraryPath } from "../src/env.ts";
import { maxFileMegabytes, encodeMessage, decodeRequest } from "../src/sandbox/codec.ts";

declare const __dirname: string;

// The function's folder: its code is CommonJS where it runs.
const folder = import.meta.dirname ?? __dirname;

/** `child.mjs` is `agent/sandbox/child.ts` bundled; the packages of the engines are beside it, as they are published. */
const sandbox = childProcessSandbox({
  program: join(folder, "child.mjs"),
  readable: [folder],
  maxProcesses: 1,
  environment: libraryPath(),
});

/** One program, both sides as `agent/sandbox/wire.ts` packs them. What it wrote is left out when it does not fit. */
export async function handler({ request }: { request: string }): Promise<{ result: string }> {
  const result = await sandbox.run(decodeRequest(request), new AbortController().signal);
  const whole = encodeMessage(result);
  if (whole !== undefined) return { result: whole };
  const names = result.written.map(({ name }) => name).join(", ");
  const notes = [
    ...result.notes,
    `Not kept, as they have more than ${maxFileMegabytes} MB together when compressed: ${names}.`,
  ];
  return { result: encodeMessage({ ...result, written: [], notes }) ?? "" };
}
