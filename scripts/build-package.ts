import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleSandboxProcess } from "../lib/bundling.ts";
import { consoleDirectory } from "./build-console.ts";
import { buildConstructs } from "./build-constructs.ts";

// Writes what `npm pack` packs (`files` in package.json) to dist/package: the service, its command lines and its console as
// JavaScript, with the code of all packages that they use. So npx installs what the tests ran, and no other version of it.
// `src/layout.ts` finds these files. `cdk` is for apps of CDK.

const root = fileURLToPath(new URL("..", import.meta.url));
const packageDirectory = join(root, "dist/package");

/** Builds the package into a folder. Resolves with the source files that it contains code of, relative to the project. */
export async function buildPackage(directory: string = packageDirectory): Promise<string[]> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["bin/agent-run-service.ts", "bin/local/records/thread.ts"],
    entryNames: "[name]",
    outdir: directory,
    bundle: true,
    splitting: true, // starting the service and operating it share code
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    minify: true,
    keepNames: true, // error names are compared in code
    metafile: true,
    logLevel: "error",
    // Packages that are CommonJS call `require` for modules of Node.js.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  });
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return [...files, ...bundleSandboxProcess(join(directory, "sandbox"))];
}

if (import.meta.main) {
  await buildPackage();
  cpSync(consoleDirectory, join(packageDirectory, "console"), { recursive: true });
  await buildConstructs(join(packageDirectory, "cdk"));
}
