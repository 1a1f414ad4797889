import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

// What `bundling.ts` is in the package: the code of the functions is built already, by `scripts/build-constructs.ts`, which replaces that
// module by this one. So an app needs neither sources nor esbuild.

/** Folder of the functions' code. */
export const lambdasFolder = join(import.meta.dirname, "functions/");

/** The child process of the sandbox with all engines, which the service on one machine uses, too. */
const sandbox = join(import.meta.dirname, "../sandbox");

function copy(from: string, to: string, packages: (name: string) => boolean = () => true): string[] {
  const filter = (path: string): boolean => !/[/\\]node_modules[/\\][^/\\]+$/.test(path) || packages(basename(path));
  cpSync(from, to, { recursive: true, filter: (path) => filter(path.slice(from.length)) });
  return [];
}

/** Copies a function's code to `folder`. */
export function bundleFunction(entry: string, folder: string): string[] {
  return copy(join(lambdasFolder, entry), folder);
}

export function bundleSandbox(folder: string): string[] {
  return [...bundleFunction("run-program", folder), ...copy(sandbox, folder)];
}

/** Packages of the engines for programs. */
const engines = new Set(["just-bash", "quickjs-wasi"]);

/** Without the engines for programs. */
export function bundleDocuments(folder: string): string[] {
  return [...bundleFunction("read-document", folder), ...copy(sandbox, folder, (name) => !engines.has(name))];
}

/** The code of the function in an image. */
export function bundleEnvironmentHandler(folder: string): string[] {
  return [...bundleFunction("environment", folder), ...copy(sandbox, folder)];
}

/** Folder of a Linux environment. `environment` is that of the package; others are relative to the working directory. */
export function environmentFolder(source: string): string {
  return source === "environment" ? join(import.meta.dirname, "../../../environment") : resolve(source);
}

/** Folder to write what an image is built from. It is gone when the process ends: CDK copies it. */
export function imageContextFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-run-environment-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}
