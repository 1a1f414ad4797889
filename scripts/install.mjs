// Runs before npm scripts, with any installed Node: installs the dependencies if the lock file is newer.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
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
