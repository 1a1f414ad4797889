import { globSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";

/** Where the built page is. Not committed. */
export const consoleDirectory: string = fileURLToPath(new URL("../dist/console", import.meta.url));

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bytes after gzip. `first…`: what the browser loads before a page is shown. `all`: with every chunk that can follow. */
export interface ConsoleSizes {
  firstJavaScript: number;
  firstCss: number;
  all: number;
}

/** The largest accepted sizes. A test fails above them. */
export const consoleBudget: ConsoleSizes = { firstJavaScript: 60 * 1024, firstCss: 13 * 1024, all: 128 * 1024 };

const options = {
  absWorkingDir: root,
  entryPoints: { main: "console/main.tsx", style: "console/styles/main.css" },
  outdir: consoleDirectory,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  metafile: true,
  plugins: [sharedCode()],
  logLevel: "warning",
} satisfies BuildOptions;

/**
 * Builds the page into a folder: files with a hash in their names, and an index.html that names the first of them. Replaces
 * the folder at the end, so that a running server serves the page meanwhile.
 */
export async function buildConsole(directory: string = consoleDirectory): Promise<ConsoleSizes> {
  await mkdir(dirname(directory), { recursive: true });
  const building = await mkdtemp(`${directory}-`);
  try {
    const sizes = await buildInto(building);
    await chmod(building, 0o755); // mkdtemp gives it to its owner only
    await rm(directory, { recursive: true, force: true });
    await rename(building, directory);
    return sizes;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

async function buildInto(directory: string): Promise<ConsoleSizes> {
  const { metafile } = await build({ ...options, outdir: directory });
  const first = firstLoad(metafile);
  const tags = first.map((file) =>
    file.endsWith(".css")
      ? `<link rel="stylesheet" href="/console/${file}" />`
      : file.startsWith("main-")
        ? `<script type="module" src="/console/${file}"></script>`
        : `<link rel="modulepreload" href="/console/${file}" />`,
  );
  const html = await readFile(join(root, "console/index.html"), "utf8");
  await writeFile(join(directory, "index.html"), html.replace("<!-- assets -->", tags.join("\n    ")));
  await writeCompressedForms(directory);
  return sizesOf(directory, metafile, first);
}

/** Writes the compressed forms that `src/manage/console-files.ts` serves: once, so with the most effort. */
async function writeCompressedForms(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const content = await readFile(path);
    await writeFile(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
    await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** The source files of which the built page contains code, relative to the project. */
export async function consoleInputs(): Promise<string[]> {
  const { metafile } = await build({ ...options, write: false });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}

/**
 * Puts the code that pages share into one file. Without this, esbuild makes a file for each set of pages that share
 * something: 20 more requests before the first page, and 2 KiB more in all. Each page gets an import of a module that
 * uses all of the shared code.
 */
function sharedCode(): Plugin {
  const name = "shared-code";
  const pages = new Set<string>();
  return {
    name,
    setup(building) {
      building.onResolve({ filter: /./ }, async ({ path, kind, pluginData, ...place }) => {
        if (path === name) return { path, namespace: name };
        if (kind !== "dynamic-import" || pluginData === name) return undefined;
        const resolved = await building.resolve(path, { ...place, kind, pluginData: name });
        pages.add(resolved.path);
        return resolved;
      });
      building.onLoad({ filter: /./, namespace: name }, () => {
        const found = globSync("console/{ui,state,api}/*.{ts,tsx}", { cwd: root });
        const shared = found.filter((path) => !seldomLoaded.test(path)).toSorted();
        const modules = [...shared.map((path) => `./${path}`), "preact", "preact/hooks", "@preact/signals"];
        const imports = modules.map((module, index) => `import * as m${index} from ${JSON.stringify(module)};`);
        const uses = `Reflect.has([${modules.map((_, index) => `m${index}`).join()}], 0);`; // a call is never left out
        return { contents: [...imports, uses].join("\n"), resolveDir: root };
      });
      building.onLoad({ filter: /[/\\]console[/\\].*\.tsx?$/ }, async ({ path }) => {
        if (!pages.has(path) && basename(path) !== "main.tsx") return undefined;
        const contents = `${await readFile(path, "utf8")}\nimport "${name}";`;
        return { contents, loader: path.endsWith(".tsx") ? "tsx" : "ts" };
      });
    },
  };
}

/** Only some operators need it: the sign-in with a provider. */
const seldomLoaded = /oidc\.ts$/;

/** The outputs that are loaded before anything else: the entries and what they import statically. */
function firstLoad({ outputs }: Metafile): string[] {
  const entries = Object.keys(outputs).filter((path) => /^(main|style)-/.test(basename(path)));
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const each of outputs[path]?.imports ?? []) if (each.kind === "import-statement") visit(each.path);
  };
  for (const entry of entries) visit(entry);
  return [...found].map((path) => basename(path));
}

async function sizesOf(directory: string, { outputs }: Metafile, first: string[]): Promise<ConsoleSizes> {
  const sizes: ConsoleSizes = { firstJavaScript: 0, firstCss: 0, all: 0 };
  for (const path of Object.keys(outputs)) {
    const name = basename(path);
    const bytes = gzipSync(await readFile(join(directory, name)), { level: 9 }).length;
    sizes.all += bytes;
    if (first.includes(name)) sizes[name.endsWith(".css") ? "firstCss" : "firstJavaScript"] += bytes;
  }
  return sizes;
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

if (import.meta.main) {
  const { firstJavaScript, firstCss, all } = await buildConsole();
  console.log(`first load: ${kib(firstJavaScript)} of JavaScript and ${kib(firstCss)} of CSS; all: ${kib(all)} (gzip)`);
}
