import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "../lib/bundle-options.ts";
import { newDataDir, root } from "./servers.ts";
import { median, type Row } from "./table.ts";

const entries = join(root, "lambdas", "entry");

const environment = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  TABLE_NAME: "table",
  BUCKET_NAME: "bucket",
  STATE_MACHINE_ARN: "arn:aws:states:eu-central-1:123456789012:stateMachine:turns",
};

// In the fresh process: how long the runtime waits between starting to load the code and having its handler.
const script = `
  const begun = performance.now();
  const { handler } = require(process.argv[1]);
  const milliseconds = performance.now() - begun;
  if (typeof handler !== "function") throw new Error("no handler");
  console.log(milliseconds);
`;

/** Size and initialisation of each Lambda function's code; only those of create and get have a target. */
export async function measureBundles({ samples }: { samples: number }): Promise<Row[]> {
  const folder = join(newDataDir(), "bundles");
  mkdirSync(folder);
  const names = readdirSync(entries)
    .filter((file) => /^export .*\bhandler\b/m.test(readFileSync(join(entries, file), "utf8")))
    .map((file) => basename(file, ".ts"));
  const entryPoints = Object.fromEntries(names.map((name) => [name, join(entries, `${name}.ts`)]));
  await build({ ...bundleOptions, entryPoints, outdir: folder, outExtension: { ".js": ".cjs" } });

  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let index = 0; index < samples; index++) {
    for (const name of names) times.get(name)?.push(load(join(folder, `${name}.cjs`)));
  }
  const sizes = names.map((name): Row => {
    const { size } = statSync(join(folder, `${name}.cjs`));
    return { name: `${name}: bundle`, unit: "KB", service: size / 1_024 };
  });
  const inits = names.map((name): Row => {
    const target = name === "create" || name === "get" ? { atMost: 100 } : undefined;
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
