import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../deploy/processes.ts";

/** Installs packages of npm in `folder`, unless the same are there. Resolves with their `node_modules`. */
export async function npmPackages(folder: string, packages: string[]): Promise<string> {
  const modules = join(folder, "node_modules");
  const [stamp, wanted] = [join(modules, "made-from.txt"), packages.join("\n")];
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return modules;
  for (const name of ["node_modules", "package.json", "package-lock.json"]) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  mkdirSync(folder, { recursive: true });
  await succeed("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, ...packages]);
  writeFileSync(stamp, wanted);
  return modules;
}
