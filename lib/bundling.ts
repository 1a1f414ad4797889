import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Folder of the function handlers. Ends with a slash. */
export const lambdasFolder = join(root, "lambdas/");

/**
 * Packages that few runs need. Each is bundled into its own file in `node_modules` and loaded on first import. In one
 * file with the rest, they would make every start of `advance` and of the APIs slower.
 */
const lazyPackages = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/client/*",
  "ajv/*",
  "re2js",
  "@opentelemetry/*",
];

/** esbuild options for a function's code: one file, which includes the AWS SDK version that was tested. */
export const bundleOptions = {
  bundle: true,
  external: lazyPackages,
  platform: "node",
  target: "node24",
  // Start of `fail` in a fresh process, median of 15: 59 ms. As an ES module: 87 ms. With main before module: 74 ms.
  format: "cjs",
  mainFields: ["module", "main"],
  minify: true, // 419 KB instead of 1,032 KB; starts equally fast
  keepNames: true, // error names are compared in code, and stack traces are read by people
  logLevel: "error",
} satisfies BuildOptions;

/** esbuild options for a package in its own CommonJS file. ES modules may read `import.meta.url`. */
const packageOptions = {
  ...bundleOptions,
  external: [],
  banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  define: { "import.meta.url": "__moduleUrl" },
} satisfies BuildOptions;

// Each function that writes a bundle returns the files that it contains, relative to the project. NOTICE is made of them.

/** Writes a function's code to `folder`: the handler in `index.js`, lazy packages in `node_modules`. */
export function bundleFunction(entry: string, folder: string): string[] {
  const { outputs, files } = build({
    entryPoints: [`${lambdasFolder}${entry}.ts`],
    outfile: `${folder}/index.js`,
    ...bundleOptions,
  });
  const lazyImports = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ path, external }) => external && !isBuiltin(path)),
  );
  const lazyFiles = lazyImports.flatMap(({ path }) => bundlePackage(path, `${folder}/node_modules/${path}`));
  // Node.js finds a subpath of a package only through the package's `exports`.
  for (const [name, imports] of Object.entries(Object.groupBy(lazyImports, ({ path }) => packageName(path)))) {
    const subpaths = imports?.map(({ path }) => `.${path.slice(name.length)}`) ?? [];
    const exports = Object.fromEntries(subpaths.map((subpath) => [subpath, `${subpath}/index.js`]));
    writeFileSync(`${folder}/node_modules/${name}/package.json`, JSON.stringify({ name, exports }));
  }
  return [...files, ...lazyFiles];
}

/** Writes the function of the console's page to `folder`, with the built page in `console`. */
export function bundleConsole(folder: string): string[] {
  const script = join(root, "scripts/build-console.ts");
  const { status } = spawnSync(process.execPath, [script], { stdio: ["ignore", "ignore", 2] });
  if (status !== 0) throw new Error("the console could not be built; see the message above");
  cpSync(join(root, "dist/console"), join(folder, "console"), { recursive: true });
  return bundleFunction("console", folder);
}

/** Writes the upload server to `folder`, as one file `index.js`. */
export function bundleUploadServer(folder: string): string[] {
  const entryPoints = [`${lambdasFolder}upload-server.ts`];
  return build({ entryPoints, outfile: join(folder, "index.js"), ...bundleOptions }).files;
}

/**
 * Files of the engines' packages that load other files beside their code. They are copied as published. just-bash is here
 * only for its CPython; its shell is not used.
 */
export const copiedPaths = [
  "just-bash/package.json",
  "just-bash/vendor/cpython-emscripten",
  "quickjs-wasi/package.json",
  "quickjs-wasi/dist",
  "quickjs-wasi/quickjs.wasm",
];

/** Writes the sandbox function's code to `folder`: the handler in `index.js`, and what its child process needs. */
export function bundleSandbox(folder: string): string[] {
  return [...bundleFunction("run-program", folder), ...bundleSandboxProcess(folder)];
}

/** Writes the child process of the sandbox to `folder`: `child.mjs`, and the packages of all engines. */
export function bundleSandboxProcess(folder: string): string[] {
  const files = bundleChildProcess(folder);
  const packages = join(folder, "node_modules");
  for (const path of copiedPaths) {
    cpSync(join(root, "node_modules", path), join(packages, path), { recursive: true, dereference: true });
  }
  return files;
}

/**
 * Writes the code of the function that reads documents to `folder`: the handler in `index.js`, and the child process in
 * `child.mjs`. The child's engines for programs are missing: those programs run in the sandbox function.
 */
export function bundleDocuments(folder: string): string[] {
  return [...bundleFunction("read-document", folder), ...bundleChildProcess(folder)];
}

/** The entry point of the image of a Linux environment, which starts the function. */
export const superviseFile = "src/platform/aws/container/supervise.py";

/** Writes the code of the function in an image: the handler in `index.js`, and what its child processes need. */
export function bundleEnvironmentHandler(folder: string): string[] {
  const files = [...bundleFunction("environment", folder), ...bundleSandboxProcess(folder)];
  cpSync(join(root, superviseFile), join(folder, "supervise.py"));
  return [...files, superviseFile];
}

/** Folder of a Linux environment. */
export function environmentFolder(source: string): string {
  return resolve(root, source);
}

/** Folder to write what an image is built from. */
export function imageContextFolder(name: string): string {
  return join(root, "dist/environments", name);
}

/**
 * Packages that read documents and are not ES modules, or are large. The child process loads one at its first document of
 * that kind.
 */
const documentReaders = ["unpdf", "sax", "yauzl"];

/** Writes the child process of the sandbox to `folder`: `child.mjs`, its engines, and `documentReaders`. */
function bundleChildProcess(folder: string): string[] {
  const { files } = build({
    ...bundleOptions,
    format: "esm",
    splitting: true, // one file per engine, because each imports packages that exist only where the engine is used
    entryPoints: [join(root, "src/sandbox/child.ts")],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external: ["quickjs-wasi", ...documentReaders],
  });
  return [...files, ...documentReaders.flatMap((name) => bundlePackage(name, join(folder, "node_modules", name)))];
}

function bundlePackage(path: string, folder: string): string[] {
  return build({ ...packageOptions, entryPoints: [path], outfile: join(folder, "index.js") }).files;
}

/** Runs esbuild. `files`: the input files of which the bundle contains code. */
function build(options: BuildOptions) {
  const { outputs } = buildSync({ ...options, absWorkingDir: root, metafile: true }).metafile;
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return { outputs, files };
}

function packageName(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}
