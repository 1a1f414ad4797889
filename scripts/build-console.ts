import { globSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";

/** Where the built page is. Not committed. */
export const consoleDirectory: string = fileURLToPath(new URL("../dist/console", import.meta.url));

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bytes after gzip, JavaScript and CSS. `list`, `run`: what the browser loads to show the list of runs, or a run: its texts as they are, until their reader is loaded. `all`: everything. */
export interface ConsoleSizes {
  list: number;
  run: number;
  all: number;
}

/** What the page loads first for each view, besides the files that index.html names. */
const viewEntries = { list: "console/runs/runs-page.tsx", run: "console/run/run-page.tsx" };

const options = {
  absWorkingDir: root,
  entryPoints: {
    main: "console/main.tsx",
    style: "console/styles/main.css",
    "configure-style": "console/styles/configure.css",
  },
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
  const first = loadedBy(metafile, firstEntries(metafile));
  const tags = first.map((file) =>
    file.endsWith(".css")
      ? `<link rel="stylesheet" href="/console/${file}" />`
      : file.startsWith("main-")
        ? `<script type="module" src="/console/${file}"></script>`
        : `<link rel="modulepreload" href="/console/${file}" />`,
  );
  const html = await readFile(join(root, "console/index.html"), "utf8");
  const later = Object.keys(metafile.outputs).find((path) => basename(path).startsWith("configure-style-"));
  if (later === undefined) throw new Error("the style of the pages that configure was not built");
  const named = html.replace("<!-- configure style -->", `/console/${basename(later)}`);
  await writeFile(join(directory, "index.html"), named.replace("<!-- assets -->", tags.join("\n    ")));
  await writeCompressedForms(directory);
  return sizesOf(directory, metafile);
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
  return {
    name,
    setup(building) {
      // Found before the first file is loaded: a file that is imported in both ways may be loaded before it is known as a page.
      const pages = dynamicallyImported();
      building.onResolve({ filter: new RegExp(`^${name}$`) }, ({ path }) => ({ path, namespace: name }));
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

/** The absolute paths of the files of the page that `import()` loads. */
function dynamicallyImported(): Set<string> {
  const sources = globSync(join(root, "console/**/*.{ts,tsx}"));
  return new Set(
    sources.flatMap((source) =>
      [...readFileSync(source, "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, path = ""]) =>
        resolve(dirname(source), path),
      ),
    ),
  );
}

/** What no first view needs: the sign-in with a provider, dialogs and forms. */
const seldomLoaded =
  /\/(agent-filter|agent-names|choice-chip|confirm|create-dialog|dialog|expiry|expiry-choice|field|leave-guard|oidc|reveal-once|save-blob|secret-input|use-action|use-rows)\.tsx?$/;

/** The outputs that index.html names. */
function firstEntries({ outputs }: Metafile): string[] {
  return Object.keys(outputs).filter((path) => /^(main|style)-/.test(basename(path)));
}

/** The names of the files that are loaded for outputs: they, and what they import statically. */
function loadedBy({ outputs }: Metafile, entries: string[]): string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const each of outputs[path]?.imports ?? []) if (each.kind === "import-statement") visit(each.path);
  };
  for (const entry of entries) visit(entry);
  return [...found].map((path) => basename(path));
}

async function sizesOf(directory: string, metafile: Metafile): Promise<ConsoleSizes> {
  const outputs = Object.keys(metafile.outputs);
  const viewBytes = async (entry: string): Promise<number> => {
    const later = outputs.find((path) => metafile.outputs[path]?.entryPoint === entry);
    if (later === undefined) throw new Error(`${entry} is not loaded by itself: its size is unknown`);
    return compressedBytes(directory, loadedBy(metafile, [...firstEntries(metafile), later]));
  };
  const names = outputs.map((path) => basename(path));
  return {
    list: await viewBytes(viewEntries.list),
    run: await viewBytes(viewEntries.run),
    all: await compressedBytes(directory, names),
  };
}

async function compressedBytes(directory: string, names: string[]): Promise<number> {
  const sizes = names.map(async (name) => gzipSync(await readFile(join(directory, name)), { level: 9 }).length);
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

if (import.meta.main) {
  const { list, run, all } = await buildConsole();
  console.log(`list of runs: ${kib(list)}; a run: ${kib(run)}; all: ${kib(all)} (gzip)`);
}
