import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";

/** Where the files with the functions' handlers are; ends with a slash. */
export const entries = fileURLToPath(new URL("../lambdas/", import.meta.url));

/**
 * Packages that few runs need: each is a file of its own below `node_modules`, read when it is first imported. In one
 * file with the rest, the two readers of documents alone made the start of `advance` 75 ms slower.
 */
const apart = [
  "unpdf",
  "mammoth",
  "turndown",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/client/*",
  "@opentelemetry/*",
];

/** How a function's code becomes one file with all it needs, the AWS SDK that was tested included. */
export const bundleOptions = {
  bundle: true,
  external: apart,
  platform: "node",
  target: "node24",
  // Start of `fail` in a fresh process, median of 15: 59 ms; as an ES module 87; with main before module 74.
  format: "cjs",
  mainFields: ["module", "main"],
  minify: true, // 419 KB instead of 1,032; starts as fast
  keepNames: true, // errors are told apart by name, and stack traces are read by people
  logLevel: "error",
} satisfies BuildOptions;

/** The same for packages that ask, as ES modules can, where they are: in a file of CommonJS of their own. */
export const packageOptions = {
  ...bundleOptions,
  external: [],
  banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { "import.meta.url": "__moduleUrl" },
} satisfies BuildOptions;
