import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { bundleOptions, packageOptions } from "./bundle-options.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Packages that find files of their own beside their code: kept as they are published, what no engine uses left out. */
const whole = [
  "just-bash/package.json",
  "just-bash/dist/bundle",
  "just-bash/vendor",
  "quickjs-wasi/package.json",
  "quickjs-wasi/dist",
  "quickjs-wasi/quickjs.wasm",
  "sql.js/package.json",
  "sql.js/dist/sql-wasm.js",
  "sql.js/dist/sql-wasm.wasm",
];

/** What those import besides, and the readers of documents: one file each. */
const single = ["turndown", "sprintf-js", "seek-bzip", "minimatch", "diff", "unpdf", "mammoth"];

/**
 * Writes the sandbox function's code into a folder: `index.js` with the handler, `child.mjs` that its processes run, and
 * the engines' packages: 21 MB, half of it Python.
 */
export function bundleSandbox(folder: string): void {
  buildSync({
    ...bundleOptions,
    entryPoints: [join(root, "lambdas/run-program.ts")],
    outfile: join(folder, "index.js"),
  });
  buildSync({
    ...bundleOptions,
    format: "esm",
    entryPoints: [join(root, "src/sandbox/child.ts")],
    outfile: join(folder, "child.mjs"),
    external: ["just-bash", "quickjs-wasi", "unpdf", "mammoth"],
  });
  const packages = join(folder, "node_modules");
  for (const path of whole) {
    cpSync(join(root, "node_modules", path), join(packages, path), { recursive: true, dereference: true });
  }
  for (const name of single) {
    buildSync({
      ...packageOptions,
      absWorkingDir: root,
      entryPoints: [name],
      outfile: join(packages, name, "index.js"),
    });
  }
}
