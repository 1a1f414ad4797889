import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { expect, test } from "vitest";

test("the clients write no path of an API: they take it from the generated table", async () => {
  const written = /["'`]\/(?:ext\/)?v1\//;
  expect(readFileSync("clients/typescript/src/generated/operations.ts", "utf8")).toMatch(written);
  const wrong: string[] = [];
  let checked = 0;
  for await (const path of glob(["clients/typescript/src/*.ts", "clients/python/agent_runs/{,_async/}*.py"])) {
    if (path.endsWith("_operations.py")) continue;
    checked++;
    if (written.test(readFileSync(path, "utf8"))) wrong.push(path);
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(20);
});
