import { defineConfig } from "vitest/config";

/** Integration tests that start the service once and take under two seconds. */
const overHttp = ["run", "http", "connections", "accounting", "runner", "model"];
/** Compares bash in the sandbox with bash outside of it, where bubblewrap is installed: about eight seconds. */
const agreement = "sandbox/linux/agreement";
const fast = [...overHttp, agreement].map((name) => `test/integration/${name}.test.ts`);

// The tiers. CONTRIBUTING.md says which command runs which; test/deploy has its own configuration.
export default defineConfig({
  test: {
    maxWorkers: "100%",
    silent: "passed-only",
    globalSetup: ["test/support/temporary-directory.ts"],
    setupFiles: ["test/support/no-log.ts"],
    expect: { poll: { timeout: 8_000 } }, // on a busy machine, the default of 1 s is too short
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/{unit,platform,providers,infra}/**/*.test.ts", ...fast],
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
          include: ["test/integration/**/*.test.ts"],
          exclude: fast,
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
