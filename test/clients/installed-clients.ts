import { cpSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { succeed } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";
import { oncePerCommand } from "../support/once-per-command.ts";
import { python, pythonClient } from "./python.ts";

const typescriptClient = join(root, "clients/typescript");

/** A folder that no project of ours contains. */
export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "client-"));
}

/** Packs the TypeScript client, once for all test files. Resolves with the tarball. */
async function typescriptTarball(): Promise<string> {
  const folder = await oncePerCommand("typescript-client", async (to) => {
    // Built elsewhere: documentation.test.ts packs the client at the same time.
    const built = emptyFolder();
    cpSync(typescriptClient, built, { recursive: true, filter: (path) => !path.endsWith("dist") });
    await succeed("node", [join(typescriptClient, "build.mjs"), join(built, "dist")]);
    await succeed("npm", ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", to, built]);
  });
  return join(folder, readdirSync(folder)[0] ?? "");
}

/** Builds the package of the Python client, once for all test files. Resolves with the wheel. */
async function pythonWheel(): Promise<string> {
  const folder = await oncePerCommand("python-client", async (to) => {
    const wheels = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", to, pythonClient];
    await succeed(await python("pip"), wheels);
  });
  return join(folder, readdirSync(folder)[0] ?? "");
}

/** Makes a folder a project with the package of the TypeScript client. */
export async function installTypescriptClient(folder: string): Promise<void> {
  const tarball = await typescriptTarball();
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await succeed("npm", ["install", "--offline", "--no-audit", "--prefix", folder, tarball]);
}

/** Installs the package of the Python client into a virtual environment of a folder. Resolves to its `python`. */
export async function installPythonClient(folder: string): Promise<string> {
  const [wheel, venv] = [await pythonWheel(), join(folder, "venv")];
  await succeed(await python("python"), ["-m", "venv", venv]);
  await succeed(join(venv, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", wheel]);
  return join(venv, "bin/python");
}
