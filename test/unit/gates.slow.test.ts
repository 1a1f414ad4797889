import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { gates, inputsOf } from "../gates.ts";

/** Modules that a file imports when it runs. Those of types it does not load. */
const imports = /^(?:import|export)\s+(?!type\b)(?:[^;"]*\sfrom\s+)?"(\.[^"]+)"/gm;

/** By reading the sources, unlike `inputsOf`, which asks the bundler. */
function importedBy(entries: string[]): string[] {
  const found = new Set(entries);
  for (const path of found) {
    for (const [statement, target = ""] of readFileSync(path, "utf8").matchAll(imports)) {
      const isType = /\{[^}]*\}/.test(statement) && !/[{,]\s*(?!type\b)\w/.test(statement);
      const to = join(dirname(path), target);
      if (!isType && existsSync(to) && /\.(ts|mjs)$/.test(to)) found.add(to);
    }
  }
  return [...found];
}

describe.each(gates)("the gate: $name", (gate) => {
  let isInput: Awaited<ReturnType<typeof inputsOf>>;
  beforeAll(async () => {
    isInput = await inputsOf(gate);
  });

  test("has test files", () => {
    expect([...gate.tests, ...gate.starts].filter((glob) => globSync(glob).length === 0)).toEqual([]);
  });

  test("is opened by a change in any file that its tests and their programs import, and by a dependency", () => {
    const imported = importedBy([...gate.tests, ...gate.starts].flatMap((glob) => globSync(glob)));
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((path) => !isInput(path))).toEqual([]);
    expect(["package-lock.json", ".nvmrc", "test/gates.ts"].every(isInput)).toBe(true);
  });

  test("stays closed for the page, the documents and the clients", () => {
    const others = globSync(["console/**/*.tsx", "docs/*.md", "clients/**/*.{ts,py,md}", "CHANGELOG.md"]);
    expect(others.length).toBeGreaterThan(100);
    expect(others.filter(isInput)).toEqual([]);
  });
});

/** The command as `.ci/run` calls it. */
function closedSince(commit: string) {
  const { stdout, stderr } = spawnSync(process.execPath, ["test/gates.ts", commit], { encoding: "utf8" });
  return { names: stdout.split("\n").filter(Boolean), stderr };
}

test("no gate is closed where no commit is known that passed", () => {
  for (const commit of ["", "0".repeat(40)]) expect(closedSince(commit).names).toEqual([]);
});

test("each gate is closed or says which file opens it", () => {
  const { names, stderr } = closedSince("HEAD");
  for (const { name } of gates) expect(stderr).toContain(names.includes(name) ? `${name}: skipped` : `${name}: run: `);
});

/** The test files that run with these gates closed. */
function listed(closed: string): string[] {
  const args = ["vitest", "list", "--filesOnly", "--project", "integration", "--project", "soak"];
  const { stdout } = spawnSync("npx", args, { encoding: "utf8", env: { ...process.env, CLOSED_GATES: closed } });
  return stdout.split("\n").flatMap((line) => /test\/\S+\.test\.ts/.exec(line) ?? []);
}

test("the tests of a closed gate do not run, and all others do", () => {
  const [all, some] = [listed(""), listed("Linux\nanother")];
  const gone = all.filter((path) => !some.includes(path));
  expect(gone.toSorted()).toEqual(globSync(gates[1]?.tests ?? []).toSorted());
  expect(some.length).toBeGreaterThan(100);
});
