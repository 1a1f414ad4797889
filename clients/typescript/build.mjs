// Builds the package into a folder, by default dist: ES modules, and CommonJS in its folder cjs.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const [folder = join(here, "dist")] = process.argv.slice(2);
const cjs = join(folder, "cjs");
const tsc = (...args) =>
  execFileSync("tsc", ["-p", here, ...args], { stdio: "inherit", shell: process.platform === "win32" });

rmSync(folder, { recursive: true, force: true });
tsc("--outDir", folder);
tsc("--outDir", cjs, "--module", "commonjs", "--moduleResolution", "node10", "--verbatimModuleSyntax", "false");
writeFileSync(join(cjs, "package.json"), '{ "type": "commonjs" }\n');
