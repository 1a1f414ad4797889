// Runs before npm scripts, with any installed Node: installs the dependencies if the lock file is newer. Node 24 (Node 26
// on Apple silicon) is one of them on most platforms; npm scripts find it first. With --console, it also builds the
// console if one of its sources is newer.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  console.error("Installing dependencies (npm ci), once; this takes about a minute …");
  // npm's output goes to stderr, because stdout is for the command that follows (npm start -- --json).
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(
      "npm ci failed; see its message above. Required: Node 20 or newer, npm and access to a package index.",
    );
    process.exit(status ?? 1);
  }
}

const installedNode = `${root}node_modules/.bin/${process.platform === "win32" ? "node.cmd" : "node"}`;
if (!existsSync(installedNode) && Number.parseInt(process.versions.node, 10) < 24) {
  const platform = `${process.platform}-${process.arch}`;
  console.error(
    `Node 24 or newer is required; this is Node ${process.versions.node}. No Node package is locked for ${platform}: ` +
      "install it from https://nodejs.org/ or with a version manager (.nvmrc).",
  );
  process.exit(1);
}

const consoleSources = ["console", "schemas", "package-lock.json", "scripts/build-console.ts"];

/** The latest modification in a file or folder, in milliseconds since 1970. A folder changes when a file is removed. */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const builtPage = join(root, "dist/console/index.html");
if (
  process.argv.includes("--console") &&
  (!existsSync(builtPage) || consoleSources.some((source) => newest(join(root, source)) > statSync(builtPage).mtimeMs))
) {
  const node = existsSync(installedNode) ? installedNode : process.execPath;
  const { status } = spawnSync(node, [join(root, "scripts/build-console.ts")], { stdio: ["ignore", "ignore", 2] });
  if (status !== 0) process.exit(status ?? 1);
}
