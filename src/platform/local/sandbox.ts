import { realpathSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childProcessSandbox } from "../../sandbox/child-process.ts";
import { sandboxDocumentReader } from "../../sandbox/document-reader.ts";

/** The tools' edges on one machine: programs and documents in processes of their own, and a network that is its owner's. */
export function localToolDependencies() {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const packages = join(root, "node_modules");
  const sandbox = childProcessSandbox({
    program: join(root, "src/sandbox/child.ts"),
    readable: [join(root, "src"), join(root, "package.json"), packages, realpathSync(packages)],
    maxProcesses: Math.max(2, availableParallelism()),
  });
  return { sandbox, readDocument: sandboxDocumentReader(sandbox), privateAddresses: true };
}
