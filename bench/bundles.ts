import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { bundleOptions, bundleSandbox } from "../lib/bundling.ts";
import { environment } from "./aws-home.ts";
import { newDataDir, root } from "./servers.ts";
import { median, type Row } from "./table.ts";

const entries = join(root, "lambdas");

// In the fresh process: how long the runtime waits between starting to load the code and having its handler.
const script = `
  const begun = performance.now();
  const { handler } = require(process.argv[1]);
  const milliseconds = performance.now() - begun;
  if (typeof handler !== "function") throw new Error("no handler");
  console.log(milliseconds);
`;

/** The code of every Lambda function as it is deployed, by the name of its entry. */
export async function buildBundles(): Promise<Map<string, string>> {
  const folder = join(newDataDir(), "bundles");
  mkdirSync(folder);
  const names = readdirSync(entries)
    .filter((file) => /^export .*\bhandler\b/m.test(readFileSync(join(entries, file), "utf8")))
    .map((file) => basename(file, ".ts"));
  const entryPoints = Object.fromEntries(names.map((name) => [name, join(entries, `${name}.ts`)]));
  await build({ ...bundleOptions, entryPoints, outdir: folder, outExtension: { ".js": ".cjs" } });
  const bundles = new Map(names.map((name) => [name, join(folder, `${name}.cjs`)]));
  bundleSandbox(join(folder, "run-program")); // finds its engines beside itself
  return bundles.set("run-program", join(folder, "run-program", "index.js"));
}

/** Bytes of a function's code that its start reads; for the sandbox, of everything that it is deployed with. */
function bytesOf(name: string, file: string): number {
  if (name !== "run-program") return statSync(file).size;
  const files = readdirSync(dirname(file), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Milliseconds of initialisation, for those that somebody waits for. */
const targets: Record<string, number> = { create: 100, get: 100, advance: 250 };

/** Size and initialisation of each Lambda function's code. */
export async function measureBundles({ samples }: { samples: number }): Promise<Row[]> {
  const bundles = [...(await buildBundles())];
  const names = bundles.map(([name]) => name);

  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let index = 0; index < samples; index++) {
    for (const [name, file] of bundles) times.get(name)?.push(load(file));
  }
  const sizes = bundles.map(([name, file]): Row => {
    return { name: `${name}: bundle`, unit: "KB", service: bytesOf(name, file) / 1_024 };
  });
  const inits = names.map((name): Row => {
    const atMost = targets[name];
    const target = atMost === undefined ? undefined : { atMost };
    return { name: `${name}: init`, unit: "ms", service: median(times.get(name) ?? []), target };
  });
  return [...sizes, ...inits];
}

function load(file: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["-e", script, file], {
    env: { ...environment, PATH: process.env["PATH"] },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${file} does not load: ${stderr.trim()}`);
  return Number(stdout);
}
