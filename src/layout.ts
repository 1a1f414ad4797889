import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Whether this code is in the package that `scripts/build-package.ts` writes, as JavaScript. Otherwise it runs in a clone,
 * as TypeScript, or in a Lambda function, where `import.meta` has no URL.
 */
export const isPackage: boolean = import.meta.url?.endsWith(".js") ?? false;

/** Absolute paths of what the program uses besides the modules that it imports. */
export interface Layout {
  /** The script that runs the service, with the options of `npm start`. */
  service: string;
  /** The script of the thread that reads large records. */
  recordThread: string;
  /** Folder of the built console. */
  console: string;
  /** Folder of what builds and describes the Linux environment. */
  environment: string;
  /** Program of the sandbox's processes, and the folders and files that they may read. */
  sandbox: { program: string; readable: string[] };
}

export function layout(): Layout {
  return isPackage ? packageLayout(import.meta.dirname) : cloneLayout(fileURLToPath(new URL("..", import.meta.url)));
}

function packageLayout(folder: string): Layout {
  const sandbox = join(folder, "sandbox");
  return {
    service: join(folder, "agent-run-service.js"),
    recordThread: join(folder, "thread.js"),
    console: join(folder, "console"),
    environment: join(folder, "../../environment"),
    sandbox: { program: join(sandbox, "child.mjs"), readable: [sandbox] },
  };
}

function cloneLayout(root: string): Layout {
  const packages = join(root, "node_modules");
  return {
    service: join(root, "bin/local.ts"),
    recordThread: join(root, "bin/local/records/thread.ts"),
    console: join(root, "dist/console"),
    environment: join(root, "environment"),
    sandbox: {
      program: join(root, "src/sandbox/child.ts"),
      readable: [join(root, "src"), join(root, "package.json"), packages, realpathSync(packages)],
    },
  };
}
