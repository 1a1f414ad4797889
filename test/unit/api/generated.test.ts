import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { expect, test } from "vitest";
import { generatedFiles } from "../../../scripts/generate.ts";

test("generated files are what `npm run generate` writes", async () => {
  const files = Object.entries(await generatedFiles());
  const stale = files.filter(([path, text]) => readFileSync(path, "utf8") !== text);
  expect(files.length).toBeGreaterThan(4);
  expect(stale.map(([path]) => relative(process.cwd(), path))).toEqual([]);
});

test("the validators need no package at run time", () => {
  const source = readFileSync(new URL("../../../lambdas/api/generated/validators.js", import.meta.url), "utf8");
  expect(source).not.toMatch(/\brequire\(|\bimport\b/);
});
