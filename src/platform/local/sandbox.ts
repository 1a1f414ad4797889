import { realpathSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childProcessSandbox } from "../../sandbox/child-process.ts";
import type { Sandbox } from "../../sandbox/types.ts";

/** The sandbox of one machine: child processes run programs and read documents. All agents share it. */
export function localSandbox(): Sandbox & { close(): void } {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const packages = join(root, "node_modules");
  return childProcessSandbox({
    program: join(root, "src/sandbox/child.ts"),
    readable: [join(root, "src"), join(root, "package.json"), packages, realpathSync(packages)],
    maxProcesses: Math.max(2, availableParallelism()),
  });
}
