// Runs before npm scripts, with any installed Node: installs the dependencies if the lock file is newer. Node 24 (Node 26
// on Apple silicon) is one of them on most platforms; npm scripts find it first. Then compiles the validators and,
// with --console, builds the console, and with --notice, writes NOTICE, each if one of its sources is newer.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildConsole, buildNotice, buildValidators } from "./built.mjs";

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

const node = existsSync(installedNode) ? installedNode : process.execPath;
await Promise.all([buildValidators(node), process.argv.includes("--console") && buildConsole(node)]);
if (process.argv.includes("--notice")) await buildNotice(node); // bundles the validators, too
