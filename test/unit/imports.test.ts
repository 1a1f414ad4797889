import { readdirSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

// The import rules of docs/architecture.md. A folder may import itself and the folders and files listed for it.
const allowed: Record<string, string[]> = {
  "src/async": [],
  "src/net": ["src/async", "src/json.ts"],
  "src/documents": ["src/async", "src/net"],
  "src/results": ["src/async", "src/json.ts"],
  "src/sandbox": [
    "src/async",
    "src/command-line.ts",
    "src/documents",
    "src/filenames.ts",
    "src/log.ts",
    "src/results",
    "src/tar-format.ts",
  ],
  // In src/agent: model.ts and other shared files <- models; tools <- mcp, turn <- toolbox.ts
  "src/agent/tools": [
    "src/agent/ask-kinds.ts",
    "dist/generated",
    "src/agent/attachment-limits.ts",
    "src/agent/model.ts",
    "src/async",
    "src/documents",
    "src/filenames.ts",
    "src/json.ts",
    "src/net",
    "src/results/subschemas.ts",
    "src/sandbox",
  ],
  "src/agent/mcp": [
    "src/agent/attachment-limits.ts",
    "src/agent/model.ts",
    "src/agent/secret.ts",
    "src/agent/tools",
    "src/async",
    "src/filenames.ts",
    "src/json.ts",
    "src/net",
    "src/results/json-pointer.ts",
    "src/results/subschemas.ts",
  ],
  "src/agent/models": [
    "src/command-line.ts",
    "src/agent/attachment-limits.ts",
    "src/agent/model.ts",
    "src/agent/public-url.ts",
    "src/agent/reasoning.ts",
    "src/agent/secret.ts",
    "src/agent/unknown-tool.ts",
    "src/async",
    "src/json.ts",
    "src/net",
  ],
  "src/agent/turn": [
    "src/agent/ask-kinds.ts",
    "src/agent/asks.ts",
    "src/agent/model.ts",
    "src/agent/reasoning.ts",
    "src/agent/tools",
    "src/agent/unknown-tool.ts",
    "src/async",
    "src/json.ts",
    "src/results/types.ts",
    "src/sandbox",
  ],
  "src/agent": [
    "dist/generated",
    "src/async",
    "src/command-line.ts",
    "src/documents",
    "src/filenames.ts",
    "src/json.ts",
    "src/net",
    "src/sandbox",
  ],
  "src/accounts": [
    "dist/generated",
    "src/agent",
    "src/errors.ts",
    "src/json-schema.ts",
    "src/json.ts",
    "src/net",
    "src/results",
    "src/sandbox/linux/environment-name.ts",
    "src/schema-validator.ts",
  ],
  "src/runs": [
    "dist/generated",
    "src/accounts",
    "src/agent",
    "src/async",
    "src/errors.ts",
    "src/filenames.ts",
    "src/json.ts",
    "src/log.ts",
    "src/results",
    "src/sandbox/linux/types.ts",
    "src/schema-validator.ts",
    "src/tar-format.ts",
  ],
  "src/deliveries": ["src/accounts", "src/async", "src/errors.ts", "src/json.ts", "src/net", "src/runs"],
  "src/trials": [
    "src/accounts",
    "src/agent",
    "src/async",
    "src/errors.ts",
    "src/filenames.ts",
    "src/json.ts",
    "src/log.ts",
    "src/results",
    "src/runs",
    "src/sandbox/types.ts",
  ],
  "src/workflow": [
    "src/accounts",
    "src/agent",
    "src/async",
    "src/errors.ts",
    "src/log.ts",
    "src/observability",
    "src/runs",
    "src/sandbox",
    "src/trials",
  ],
  "src/observability": ["src/agent", "src/env.ts", "src/log.ts", "src/net", "src/runs", "src/trials/trial-id.ts"],
  // The custom resources of stacks.
  "src/definitions": ["src/accounts", "src/agent", "src/errors.ts", "src/json.ts", "src/manage/checked-definition.ts"],
  // The framework of all APIs. It knows no operations.
  "src/http": [
    "dist/generated",
    "src/accounts",
    "src/agent",
    "src/async",
    "src/error-codes.ts",
    "src/errors.ts",
    "src/json-schema.ts",
    "src/json.ts",
    "src/log.ts",
    "src/results/types.ts",
    "src/runs",
    "src/schema-validator.ts",
  ],
  // The operations on runs that the extension API and the management API share: it knows operations, `src/http` does not.
  "src/run-api": ["src/accounts", "src/errors.ts", "src/http", "src/runs"],
  // The APIs, side by side. The extension API and the management API use shapes of v1's contract.
  "src/v1": [
    "dist/generated",
    "src/accounts",
    "src/async",
    "src/error-codes.ts",
    "src/errors.ts",
    "src/http",
    "src/log.ts",
    "src/runs",
    "src/schema-validator.ts",
  ],
  "src/ext": [
    "dist/generated",
    "src/accounts",
    "src/async",
    "src/error-codes.ts",
    "src/errors.ts",
    "src/http",
    "src/json-schema.ts",
    "src/json.ts",
    "src/log.ts",
    "src/run-api",
    "src/runs",
    "src/trials",
    "src/v1/contract.ts",
    "src/v1/public-api.ts",
  ],
  "src/manage": [
    "dist/generated",
    "src/accounts",
    "src/agent",
    "src/async",
    "src/command-line.ts",
    "src/deliveries",
    "src/error-codes.ts",
    "src/errors.ts",
    "src/filenames.ts",
    "src/http",
    "src/json-schema.ts",
    "src/json.ts",
    "src/log.ts",
    "src/run-api",
    "src/runs",
    "src/sandbox/linux/types.ts",
    "src/trials",
    "src/v1/contract.ts",
  ],
  "src/mcp": [
    "dist/generated",
    "src/accounts",
    "src/async",
    "src/documents",
    "src/error-codes.ts",
    "src/errors.ts",
    "src/ext/contract",
    "src/http",
    "src/json-schema.ts",
    "src/json.ts",
    "src/log.ts",
    "src/results",
    "src/run-api/given-answer.ts",
    "src/runs",
    "src/schema-validator.ts",
  ],
  "src/platform/types.ts": ["src/agent/secret.ts", "src/documents", "src/net", "src/runs", "src/sandbox", "src/trials"],
  // The port and the kinds of records, which both platforms implement.
  "src/platform/records": ["src/accounts", "src/platform/aws/dynamodb/table.ts", "src/runs/types.ts", "src/trials"],
  "src/platform/local": [
    "src/accounts",
    "src/agent",
    "src/async",
    "src/command-line.ts",
    "src/deliveries",
    "src/errors.ts",
    "src/filenames.ts",
    "src/layout.ts",
    "src/log.ts",
    "src/platform/records",
    "src/platform/types.ts",
    "src/runs",
    "src/sandbox",
    "src/trials",
    "src/workflow",
  ],
  "src/platform/aws": [
    "src/accounts",
    "src/agent",
    "src/async",
    "src/deliveries",
    "src/env.ts",
    "src/errors.ts",
    "src/filenames.ts",
    "src/log.ts",
    "src/observability",
    "src/platform/records",
    "src/platform/types.ts",
    "src/runs",
    "src/sandbox",
    "src/trials",
    "src/workflow",
  ],
  lambdas: [
    "package.json",
    "src/definitions",
    "src/deliveries",
    "src/env.ts",
    "src/ext",
    "src/http",
    "src/log.ts",
    "src/manage",
    "src/mcp",
    "src/observability",
    "src/platform/aws",
    "src/sandbox",
    "src/trials",
    "src/v1",
    "src/workflow",
  ],
  // Names, schemas and durations only.
  lib: [
    "src/definitions/types.ts",
    "src/env.ts",
    "src/ext/path.ts",
    "src/http/origin.ts",
    "src/http/server/origin-secret.ts",
    "src/http/server/stream-check.ts",
    "src/manage/sign-in/types.ts",
    "src/mcp/path.ts",
    "src/observability/metrics.ts",
    "src/platform/aws/delivery/delivery-limits.ts",
    "src/platform/aws/dynamodb/table.ts",
    "src/platform/aws/s3/transfer-seconds.ts",
    "src/sandbox/linux/environment-name.ts",
    "src/sandbox/linux/limits.ts",
    "src/v1/contract.ts",
    "src/workflow/policy.ts",
  ],
  conformance: [],
};

// The page: pages <- state <- ui <- api. No page imports another, but for a tab or a dialog that it shows.
const floor = ["console/api", "console/format.ts", "console/ui"];
const page = [...floor, "console/state"];
const allowedInConsole: Record<string, string[]> = {
  "console/api": [
    "src/manage/generated/operations.ts",
    "src/manage/generated/webhook-operations.ts",
    "src/manage/schema-types.ts",
    "src/runs/read/live-output.ts",
    "src/runs/read/written-text.ts",
  ],
  "console/ui": ["console/api", "console/format.ts", "src/accounts/expiry.ts"],
  "console/state": floor,
  "console/programs": floor,
  "console/agents": [
    ...page,
    "console/bundles",
    "console/environments.ts",
    "console/limits-text.ts",
    "console/programs",
    "console/run/files/diff-view.tsx",
    "console/run/text/line-diff.ts",
    "console/tool-help.ts",
    "console/trials",
    "console/webhook",
    "schemas/agent.schema.json",
  ],
  "console/bundles": [...page, "src/manage/generated/bundle-operations.ts"],
  "console/models": page,
  "console/run": [
    ...page,
    "console/bundles",
    "console/environments.ts",
    "console/programs",
    "console/run-words.ts",
    "console/tool-help.ts",
    "src/agent/turn/tool-notes.ts",
    "src/json.ts",
  ],
  "console/runs": [...page, "console/environments.ts", "console/programs", "console/run-words.ts"],
  "console/settings": [...page, "src/manage/generated/operations.ts"],
  "console/share": [...page, "console/run"],
  "console/shell": [...page, "console/start", "console/waiting"],
  "console/start": [...page, "console/limits-text.ts", "console/programs"],
  "console/errors": page,
  "console/texts": [...page, "console/run/text/tool-name.tsx"],
  "console/trials": [
    ...page,
    "console/run/files/diff-view.tsx",
    "console/run/text",
    "src/json.ts",
    "src/manage/generated/trial-operations.ts",
    "src/trials/limits.ts",
    "src/trials/suites/limits.ts",
  ],
  "console/usage": page,
  "console/waiting": [...page, "console/run/text", "console/run/waiting"],
  "console/webhook": [...page, "src/accounts/limits.ts", "src/manage/generated/webhook-operations.ts"],
};

const packages: Record<string, RegExp> = {
  "@aws-sdk/": /^(src\/(platform\/aws|agent\/models)|lambdas|bin|test|bench)\//,
  "aws-cdk-lib": /^(lib|bin|test)\//,
  "node:sqlite": /^(src\/platform\/local|test|bench)\//,
};

const imports = /(?:from|import)\s*\(?\s*"([^"]+)"/g;

test("imports follow the rules, and process.env is read in src/env.ts and bin/ only", async () => {
  const wrong: string[] = [];
  let checked = 0;
  const rules = { ...allowed, ...allowedInConsole };
  for await (const path of glob("{bin,lib,lambdas,src,conformance,console}/**/*.{ts,tsx}")) {
    const file = path.replaceAll("\\", "/");
    const source = readFileSync(file, "utf8");
    const folder = Object.keys(rules).find((name) => file === name || file.startsWith(`${name}/`));
    for (const [, target = ""] of source.matchAll(imports)) {
      checked++;
      for (const [name, places] of Object.entries(packages)) {
        if (target.startsWith(name) && !places.test(file)) wrong.push(`${file} imports ${target}`);
      }
      if (!target.startsWith(".") || folder === undefined) continue;
      const to = normalize(join(dirname(file), target)).replaceAll("\\", "/");
      const may = [folder, ...(rules[folder] ?? [])];
      if (!may.some((place) => to === place || to.startsWith(`${place}/`))) wrong.push(`${file} imports ${to}`);
    }
    // The page shows programs that read it.
    if (source.includes("process.env") && !/^(bin\/|console\/|src\/env\.ts$)/.test(file))
      wrong.push(`${file} reads process.env`);
  }
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(50);
});

test("src/platform/local and src/platform/aws have the same files", () => {
  const [local = [], aws = []] = ["local", "aws"].map((platform) =>
    readdirSync(`src/platform/${platform}`).filter((name) => name.includes(".")),
  );
  expect(aws.sort()).toEqual(local.sort());
  expect(local.length).toBeGreaterThan(10);
});

test("the two stylesheets that are built import every other once, and none has over 300 lines", async () => {
  const found: string[] = [];
  for await (const path of glob("console/**/*.css")) found.push(path.replaceAll("\\", "/"));
  expect(found.filter((path) => readFileSync(path, "utf8").split("\n").length > 301)).toEqual([]);
  const built = ["console/styles/main.css", "console/styles/configure.css"];
  const imported = built.flatMap((sheet) =>
    [...readFileSync(sheet, "utf8").matchAll(/@import "([^"]+)"/g)].map(([, target = ""]) =>
      normalize(join(dirname(sheet), target)).replaceAll("\\", "/"),
    ),
  );
  expect(imported.toSorted()).toEqual(found.filter((path) => !built.includes(path)).toSorted());
});

/** Imports that run when a module is loaded. Those of types do not. */
const loaded = /^(?:import|export)\s+(?!type\b)[^;"]*"([^"]+)";/gm;

test("the service starts without the SDK of the model providers", () => {
  const found = new Set(["bin/local/serve.ts"]);
  const named: string[] = [];
  for (const file of found) {
    for (const [, target = ""] of readFileSync(file, "utf8").matchAll(loaded)) {
      if (!target.startsWith(".")) named.push(target);
      else if (target.endsWith(".ts")) found.add(normalize(join(dirname(file), target)));
    }
  }
  expect(named).toContain("node:sqlite");
  expect(named.filter((name) => name.startsWith("@ai-sdk/"))).toEqual([]);
});
