import { readdirSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

// The import rules of docs/architecture.md: the folders and files that a folder may import beside itself and single files.

/** Files that import no folder. Only what names src/env.ts may import it. */
const single = [
  "command-line",
  "error-codes",
  "errors",
  "filenames",
  "json-schema",
  "json",
  "layout",
  "log",
  "schema-validator",
  "tar-format",
];
/** In src/, floor above floor. */
const service: Record<string, string> = {
  async: "",
  net: "async",
  documents: "async net",
  results: "async",
  sandbox: "async documents results",
  // In agent: single files <- models, tools; tools <- mcp, turn <- toolbox.ts
  "agent/models":
    "agent/attachment-limits.ts agent/model.ts agent/public-url.ts agent/reasoning.ts agent/secret.ts agent/unknown-tool.ts async net",
  "agent/tools": "agent/ask-kinds.ts agent/attachment-limits.ts agent/model.ts async documents net results sandbox",
  "agent/mcp": "agent/attachment-limits.ts agent/model.ts agent/secret.ts agent/tools async net results",
  "agent/turn":
    "agent/ask-kinds.ts agent/asks.ts agent/model.ts agent/reasoning.ts agent/tools agent/unknown-tool.ts async results sandbox",
  agent: "async documents net sandbox",
  accounts: "agent net results sandbox/linux/environment-name.ts",
  runs: "accounts agent async results sandbox/linux/linux-types.ts",
  deliveries: "accounts async net runs",
  observability: "agent env.ts net runs",
  workflow: "accounts agent async observability runs sandbox",
  trials: "accounts agent async results runs sandbox/sandbox-types.ts workflow/turn-kind.ts",
  "platform/platform-types.ts": "agent/secret.ts documents net runs sandbox trials",
  "platform/records": "accounts platform/aws/dynamodb/table.ts runs/run-types.ts trials",
  "platform/local":
    "accounts agent async deliveries platform/records platform/platform-types.ts runs sandbox trials workflow",
  "platform/aws":
    "accounts agent async deliveries env.ts observability platform/records platform/platform-types.ts runs sandbox trials workflow",
  // http knows no operations. operations has those that the extension API and the management API share.
  http: "accounts agent async results/result-types.ts runs",
  operations: "accounts agent/model.ts async http runs",
  v1: "accounts async http runs",
  ext: "accounts async http operations runs trials v1/contract.ts v1/public-api.ts",
  manage: "accounts agent async deliveries http operations runs sandbox/linux/linux-types.ts trials v1/contract.ts",
  mcp: "accounts async documents ext/call.ts ext/contract ext/handlers/runs.ts http operations results runs",
  definitions: "accounts agent manage/checked-definition.ts",
};

/** What is deployed imports these of src/. Of lib: names, schemas and durations only. */
const deployed: Record<string, string> = {
  lambdas:
    "definitions deliveries env.ts ext http manage mcp observability platform/aws sandbox trials v1 workflow ../package.json",
  lib: `definitions/definition-types.ts env.ts ext/path.ts http/origin.ts http/server/origin-secret.ts http/server/stream-check.ts
    manage/sign-in/sign-in-types.ts mcp/path.ts observability/metrics.ts platform/aws/delivery/delivery-limits.ts
    platform/aws/dynamodb/table.ts platform/aws/s3/transfer-seconds.ts sandbox/linux/environment-name.ts
    sandbox/linux/linux-limits.ts v1/contract.ts workflow/policy.ts`,
  conformance: "",
};

// The page: pages <- state, form <- ui <- api. No page imports another, but for a tab or a dialog that it shows.
const floor = "api ui format.ts";
const page = `${floor} form state environments.ts limits-text.ts programs run-words.ts tool-help.ts`;
const pages: Record<string, string> = {
  api: "../src/manage/generated/operations.ts ../src/manage/generated/webhook-operations.ts ../src/manage/schema-types.ts ../src/runs/read/live-output.ts ../src/runs/read/search/written-text.ts",
  ui: "api format.ts ../src/accounts/expiry.ts",
  form: floor,
  state: floor,
  programs: floor,
  agents: `${page} bundles run/files/diff-view.tsx run/text/line-diff.ts trials webhook ../schemas/agent.schema.json`,
  bundles: `${page} ../src/manage/generated/bundle-operations.ts`,
  models: `${page} ../src/manage/generated/form-schemas.ts`,
  run: `${page} bundles ../src/agent/turn/tool-notes.ts`,
  runs: page,
  settings: `${page} ../src/manage/generated/operations.ts`,
  share: `${page} run`,
  shell: `${page} start waiting`,
  start: `${page} ../src/manage/generated/form-schemas.ts`,
  errors: page,
  texts: `${page} run/text/tool-name.tsx`,
  trials: `${page} run/files/diff-view.tsx run/text ../src/manage/generated/trial-operations.ts ../src/trials/names.ts
    ../src/trials/suites/limits.ts`,
  usage: page,
  waiting: `${page} run/text run/waiting`,
  webhook: `${page} ../src/manage/generated/form-schemas.ts ../src/manage/generated/webhook-operations.ts`,
};

const packages: Record<string, RegExp> = {
  "@aws-sdk/": /^(src\/(platform\/aws|agent\/models)|lambdas|bin|test|bench)\//,
  "aws-cdk-lib": /^(lib|bin|test)\//,
  "node:sqlite": /^(src\/platform\/local|test|bench)\//,
};

/** The rules of a table, with names from the root. `folder`: where those of the rules are. */
function rulesOf(table: Record<string, string>, folder: string, root: string): [string, string[]][] {
  const named = (place: string): string => normalize(`${folder}/${place}`).replaceAll("\\", "/");
  return Object.entries(table).map(([name, may]) => [root + name, [root + name, ...may.split(/\s+/).map(named)]]);
}

const rules = [
  ...rulesOf(service, "src", "src/"),
  ...rulesOf(deployed, "src", ""),
  ...rulesOf(pages, "console", "console/"),
];
const everywhere = ["dist/generated", ...single.map((name) => `src/${name}.ts`)];
const isIn = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`);
const imports = /(?:from|import)\s*\(?\s*"([^"]+)"/g;

test("imports follow the rules, and process.env is read in src/env.ts and bin/ only", async () => {
  const wrong: string[] = [];
  let checked = 0;
  for await (const path of glob("{bin,lib,lambdas,src,conformance,console}/**/*.{ts,tsx}")) {
    const file = path.replaceAll("\\", "/");
    const source = readFileSync(file, "utf8");
    const isSingle = /^src\/[^/]+$/.test(file);
    const [, may] = isSingle ? [file, everywhere] : (rules.find(([name]) => isIn(file, name)) ?? []);
    for (const [, target = ""] of source.matchAll(imports)) {
      checked++;
      for (const [name, places] of Object.entries(packages)) {
        if (target.startsWith(name) && !places.test(file)) wrong.push(`${file} imports ${target}`);
      }
      if (!target.startsWith(".") || may === undefined) continue;
      const to = normalize(join(dirname(file), target)).replaceAll("\\", "/");
      if (![...may, ...everywhere].some((place) => isIn(to, place))) wrong.push(`${file} imports ${to}`);
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
