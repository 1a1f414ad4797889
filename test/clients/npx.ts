import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { root } from "../integration/script.ts";
import { oncePerCommand } from "../support/once-per-command.ts";

export interface Packed {
  /** Name of the tarball. */
  tarball: string;
  /** A folder that holds nothing but the tarball. */
  folder: string;
  /** The environment of a user: no variables of npm, the system's Node.js, and an empty npm cache. */
  environment: Record<string, string | undefined>;
}

/** Runs `npm pack` in the project, once for all test files. */
export async function pack(): Promise<Packed> {
  const [folder, cache] = ["empty-", "cache-"].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
  const environment = { ...userEnvironment(), npm_config_cache: cache };
  const built = await oncePerCommand("packed", async (to) => {
    const args = ["pack", "--loglevel=error", "--pack-destination", to];
    await exitOf(spawn("npm", args, { cwd: root, env: environment, stdio: ["ignore", "ignore", "inherit"] }));
  });
  const [tarball = ""] = readdirSync(built);
  copyFileSync(join(built, tarball), join(folder, tarball));
  return { tarball, folder, environment };
}

function userEnvironment(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  const path = process.env["PATH"]?.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return { ...Object.fromEntries(own), PATH: path?.join(delimiter) };
}

/** Starts `npx --yes ./TARBALL …` in the folder of the tarball. */
export function npx(
  { tarball, folder, environment }: Packed,
  ...args: string[]
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn("npx", ["--yes", `./${tarball}`, ...args], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a command of the package to its end. `stderr`: without npm's own lines. */
export async function npxResult(packed: Packed, ...args: string[]) {
  const child = npx(packed, ...args);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  const lines = stderr.split("\n").filter((line) => !line.startsWith("npm "));
  return { code, stdout, stderr: lines.join("\n") };
}

export function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
}
