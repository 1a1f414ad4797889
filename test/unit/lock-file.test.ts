import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Entry {
  version?: string;
  integrity?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

interface Manifest {
  allowScripts: Record<string, boolean>;
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const manifest = read("package.json") as Manifest;
const { packages } = read("package-lock.json") as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path]) => path !== "");
const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

test("every package is locked with its hash, or is part of a package that is", () => {
  const unverified = entries.filter(([, { integrity, inBundle }]) => !integrity?.startsWith("sha512-") && !inBundle);
  expect(unverified.map(([path]) => path)).toEqual([]);
  expect(entries.length).toBeGreaterThan(400);
});

test("every platform's package of an optional dependency is locked", () => {
  const locked = new Set(entries.map(([path, { version }]) => `${nameOf(path)}@${version}`));
  const exact = entries.flatMap(([, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).filter(([, version]) => /^\d/.test(version)),
  );
  const missing = exact.map(([name, version]) => `${name}@${version}`).filter((each) => !locked.has(each));
  // npm leaves out what its index does not have, and then `npm ci` fails on that platform.
  expect(missing).toEqual([]);
  expect(exact.length).toBeGreaterThan(100);
});

test("direct dependencies are pinned to exact versions", () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("the package that npm pack builds installs no other packages: it contains their code", () => {
  expect(manifest.dependencies ?? {}).toEqual({}); // use npm install --save-dev
});

test("every install script is allowed or forbidden by name", () => {
  const scripts = entries.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(Object.keys(manifest.allowScripts).toSorted()).toEqual(scripts.toSorted());
});
