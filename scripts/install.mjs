// Runs before every npm script, on whatever Node the machine has: brings node_modules up to the lock file.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  console.error("Installing dependencies (npm ci), once; this takes about a minute …");
  // npm's own output goes to stderr: stdout belongs to the command that follows (npm start -- --json).
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed: see its message above. Node 20 or newer, npm and a package index are needed.");
    process.exit(status ?? 1);
  }
}
