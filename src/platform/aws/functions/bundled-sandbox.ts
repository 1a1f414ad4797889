import { join } from "node:path";
import { libraryPath } from "../../../env.ts";
import { childProcessSandbox } from "../../../sandbox/child-process.ts";
import type { Sandbox } from "../../../sandbox/sandbox-types.ts";

declare const __dirname: string;

// The folder of the function's code, which is bundled as CommonJS.
const folder = import.meta.dirname ?? __dirname;

/**
 * A sandbox in child processes of a Lambda function. Its program `child.mjs` and the packages of its engines are beside
 * the function's code: see `lib/bundling.ts`. A process starts at the first request.
 */
export function bundledSandbox(maxProcesses: number): Sandbox {
  return childProcessSandbox({
    program: join(folder, "child.mjs"),
    readable: [folder],
    maxProcesses,
    environment: libraryPath(),
  });
}
