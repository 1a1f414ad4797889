import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

// docs/architecture.md: agent ← runs ← { stores, api, workflow } ← entry, bin. A folder may import those listed for it.
const arrows: Record<string, string[]> = {
  "lambdas/agent": [],
  "lambdas/runs": ["lambdas/agent"],
  "lambdas/stores/local": ["lambdas/runs", "lambdas/agent"],
  "lambdas/stores/aws": ["lambdas/runs", "lambdas/agent"],
  "lambdas/workflow": ["lambdas/runs", "lambdas/agent"],
  "lambdas/api": ["lambdas/runs"],
  "lambdas/entry": [
    "lambdas/env.ts",
    "lambdas/metrics.ts",
    "lambdas/api",
    "lambdas/workflow",
    "lambdas/stores/aws",
    "lambdas/runs",
    "lambdas/agent",
  ],
  "lambdas/backoff.ts": [],
  "lambdas/env.ts": [],
  "lambdas/filenames.ts": [],
  "lambdas/log.ts": [],
  "lambdas/semaphore.ts": [],
  "lambdas/metrics.ts": ["lambdas/agent", "lambdas/runs", "lambdas/workflow"],
  // Names and types only: what the functions read from the environment, what HTTP callers send, how long the workflow waits.
  lib: [
    "lambdas/env.ts",
    "lambdas/metrics.ts",
    "lambdas/workflow/timing.ts",
    "lambdas/stores/aws/table.ts",
    "lambdas/api/contract.ts",
    "lambdas/api/origin.ts",
  ],
  conformance: [],
};
// They know nothing of the service.
const everywhere = ["lambdas/backoff.ts", "lambdas/filenames.ts", "lambdas/log.ts", "lambdas/semaphore.ts"];

const packages: Record<string, RegExp> = {
  "@aws-sdk/": /^(lambdas\/(stores\/aws|agent\/providers|entry)|bin|test|bench)\//,
  "aws-cdk-lib": /^(lib|bin|test)\//,
  "node:sqlite": /^(lambdas\/stores\/local|test|bench)\//,
};

const imports = /(?:from|import)\s*\(?\s*"([^"]+)"/g;

test("imports follow the arrows, the AWS SDK and process.env stay where they belong", async () => {
  const wrong: string[] = [];
  let checked = 0;
  for await (const path of glob("{bin,lib,lambdas,conformance}/**/*.ts")) {
    const file = path.replaceAll("\\", "/");
    const source = readFileSync(file, "utf8");
    const home = Object.keys(arrows).find((folder) => `${file}/`.startsWith(`${folder}/`));
    for (const [, target = ""] of source.matchAll(imports)) {
      checked++;
      for (const [name, allowed] of Object.entries(packages)) {
        if (target.startsWith(name) && !allowed.test(file)) wrong.push(`${file} imports ${target}`);
      }
      if (!target.startsWith(".") || home === undefined) continue;
      const to = normalize(join(dirname(file), target)).replaceAll("\\", "/");
      const may = [`${home}/`, ...(arrows[home] ?? []), ...(home === "conformance" ? [] : everywhere)];
      if (!may.some((prefix) => to.startsWith(prefix))) wrong.push(`${file} imports ${to}`);
    }
    if (source.includes("process.env") && !/^(bin\/|lambdas\/env\.ts$)/.test(file))
      wrong.push(`${file} reads process.env`);
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(50);
});
