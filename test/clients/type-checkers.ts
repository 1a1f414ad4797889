import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, run, succeed } from "../deploy/processes.ts";
import { root } from "../integration/script.ts";

/** Type checkers that users of the clients have: package and program of each, by the name to install it as. */
const checkers = {
  pyright: { package: "pyright@1.1.414", program: "index.js" },
  "typescript-5.0": { package: "npm:typescript@5.0.4", program: "bin/tsc" },
  "typescript-5.4": { package: "npm:typescript@5.4.5", program: "bin/tsc" },
  "typescript-5.6": { package: "npm:typescript@5.6.3", program: "bin/tsc" },
};

let installed: Promise<string> | undefined;

/** Runs a type checker to its end. The first call installs all, unless an earlier run of the tier did. */
export async function checkTypes(name: keyof typeof checkers, ...args: string[]): Promise<Ended> {
  installed ??= install(join(root, ".clients-test/type-checkers"));
  return run("node", [join(await installed, "node_modules", name, checkers[name].program), ...args]);
}

async function install(folder: string): Promise<string> {
  const packages = Object.entries(checkers).map(([name, { package: spec }]) =>
    spec.startsWith("npm:") ? `${name}@${spec}` : spec,
  );
  const [stamp, wanted] = [join(folder, "made-from.txt"), packages.join("\n")];
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await succeed("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...packages]);
  writeFileSync(stamp, wanted);
  return folder;
}
