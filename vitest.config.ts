import { defineConfig } from "vitest/config";
import { impossibleUpgradeTests } from "./scripts/check-out.ts";

const named = (names: string[]) => names.map((name) => `test/${name}.test.ts`);

/** Integration tests that start the service once and take under two seconds. */
const overHttp = named(["run", "http", "accounting"].map((name) => `integration/${name}`));
/** Compares everyday scripts in the sandbox with bash outside of it, where bubblewrap is installed. */
const agreement = named(["integration/sandbox/linux/agreement"]);
const fast = [...overHttp, ...agreement];
/** Tests with large inputs, slow clients, long conversations or many stacks: two to eight seconds each. */
const long = named([
  "infra/front-door",
  "infra/preflight",
  "infra/sandbox",
  "infra/upgrade",
  "platform/aws-errors",
  "platform/aws-live-text",
  "platform/aws-quotas",
  "platform/aws-round-trips",
  "platform/local-sender",
  "providers/idle-timeout",
  "providers/openai-responses",
  "unit/agent/hostile-documents",
  "unit/agent/tools-documents",
  "unit/agent/tools-large-files",
  "unit/agent/tools-large-workbook",
  "unit/api/ended-credentials",
  "unit/api/parse-json",
  "unit/api/read-body",
  "unit/api/response-size",
  "unit/api/write-response",
  "unit/console/markdown-hostile",
  "unit/ext/answers",
  "unit/ext/live-text",
  "unit/ext/results",
  "unit/ext/runs",
  "unit/filenames",
  "unit/manage/bundle-import",
  "unit/manage/organization-roles",
  "unit/manage/properties",
  "unit/manage/run-streams",
  "unit/manage/stored-releases",
  "unit/manage/suites",
  "unit/manage/trial-judges",
  "unit/mcp-endpoint/answers",
  "unit/mcp-endpoint/clients",
  "unit/mcp-endpoint/requests",
  "unit/mcp-endpoint/results",
  "unit/mcp/hostile-mcp",
  "unit/sandbox/probe",
  "unit/workflow/read-result",
  "unit/workflow/rebuild-request",
  "unit/workflow/reported-turns",
  "unit/workflow/trial-handlers",
]);

// The tiers. CONTRIBUTING.md says which command runs which; test/deploy has its own configuration.
export default defineConfig({
  test: {
    maxWorkers: "100%",
    silent: "passed-only",
    globalSetup: ["test/support/validators.mjs", "test/support/temporary-directory.ts"],
    setupFiles: ["test/support/no-log.ts", "test/support/loopback-only.ts"],
    expect: { poll: { timeout: 8_000 } }, // on a busy machine, the default of 1 s is too short
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/{unit,platform,providers,infra}/**/*.test.ts", ...fast],
          exclude: long,
          isolate: false,
          testTimeout: 10_000,
          hookTimeout: 20_000,
          // CDK's own template validation takes 8 s in each worker. The bundle tests run it, as `cdk synth` does.
          env: { CDK_VALIDATION: "false" },
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", ...long],
          exclude: [...fast, ...impossibleUpgradeTests()],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/browser/setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "clients",
          include: ["test/clients/**/*.test.ts"],
          globalSetup: ["test/clients/setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "soak",
          include: ["test/soak/**/*.test.ts"],
          fileParallelism: false, // each takes the memory and the processors of the machine
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
