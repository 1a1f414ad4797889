import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { bundleFunction, superviseFile } from "../lib/bundling.ts";
import { functions } from "../lib/functions.ts";

// Writes `agent-run-service/cdk` for the package: the constructs as one CommonJS file, which every app can load, their types, and the
// code of the functions.

const root = fileURLToPath(new URL("..", import.meta.url));

/** The modules whose types the constructs show. */
const typed = ["cdk", "agent-run-service", "definitions", "service-props"];

/** The code is built already. */
const prebuilt: Plugin = {
  name: "prebuilt",
  setup(builder) {
    builder.onResolve({ filter: /\/bundling\.ts$/ }, () => ({ path: join(root, "lib/prebuilt.ts") }));
  },
};

/** Writes the constructs to a folder beside that of the sandbox's process. */
export async function buildConstructs(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
  await build({
    absWorkingDir: root,
    entryPoints: ["lib/cdk.ts"],
    outfile: join(folder, "cdk.js"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    external: ["aws-cdk-lib", "constructs"],
    define: { "import.meta.dirname": "__dirname" },
    plugins: [prebuilt],
    logLevel: "error",
  });
  const entries = [...Object.values(functions).map(({ entry }) => entry), "run-program", "environment"];
  for (const entry of new Set<string>(entries)) bundleFunction(entry, join(folder, "functions", entry));
  cpSync(join(root, superviseFile), join(folder, "functions/environment/supervise.py"));
  writeTypes(folder);
}

function writeTypes(folder: string): void {
  const all = mkdtempSync(join(tmpdir(), "types-"));
  const config = join(root, "lib/tsconfig.json");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", config, "--outDir", all], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("the types of the constructs could not be written; see the message above");
  for (const name of typed) {
    const types = readFileSync(join(all, `lib/${name}.d.ts`), "utf8");
    writeFileSync(join(folder, `${name}.d.ts`), types.replaceAll(/"(\.\/[\w-]+)\.ts"/g, '"$1.js"')); // TypeScript keeps them
  }
  rmSync(all, { recursive: true });
}
