// What npm scripts build: the compiled validators, the console and NOTICE, each only if one of its sources is newer. Runs with any Node.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Compiles the validators to `dist/generated`. `node`: the program that runs the compiler. */
export function buildValidators(node = process.execPath) {
  const built = join(root, "dist/generated/sources.json");
  const sources = existsSync(built) ? JSON.parse(readFileSync(built, "utf8")) : [];
  return run(node, "scripts/build-validators.ts", built, sources);
}

/** Builds the page to `dist/console`. */
export function buildConsole(node = process.execPath) {
  const sources = ["console", "schemas", "src/manage/generated", "package-lock.json", "scripts/build-console.ts"];
  return run(node, "scripts/build-console.ts", join(root, "dist/console/index.html"), sources);
}

/** Writes NOTICE. What bundles contain follows from what the code imports. */
export function buildNotice(node = process.execPath) {
  const sources = ["bin", "console", "lambdas", "lib", "licenses", "scripts/notice.ts", "src", "package-lock.json"];
  return run(node, "scripts/notice.ts", join(root, "NOTICE"), sources);
}

/** Runs a script unless what it wrote last is newer than all of its sources. */
async function run(node, script, built, sources) {
  if (existsSync(built) && sources.every((source) => newest(join(root, source)) <= statSync(built).mtimeMs)) return;
  const [status] = await once(spawn(node, [join(root, script)], { stdio: ["ignore", "ignore", 2] }), "exit");
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * The latest modification in a file or folder, in milliseconds since 1970. A folder changes when a file is removed. Infinity:
 * there is no such file.
 */
function newest(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? Number.POSITIVE_INFINITY;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
