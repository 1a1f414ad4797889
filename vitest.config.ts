import { defineConfig } from "vitest/config";
import { impossibleUpgradeTests } from "./scripts/check-out.ts";
import { skippedTests } from "./test/gates.ts";
import { LongestFirst } from "./test/support/longest-first.ts";

// The tiers. A test of the folders of fast tests that takes over two seconds is named .slow.test.ts; one of the integration tests
// that takes less is named .fast.test.ts. CONTRIBUTING.md says which command runs which; test/deploy has its own configuration.
export default defineConfig({
  test: {
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    silent: "passed-only",
    globalSetup: ["test/support/validators.mjs", "test/support/temporary-directory.ts"],
    setupFiles: ["test/support/no-log.ts", "test/support/loopback-only.ts"],
    expect: { poll: { timeout: 25_000 } }, // on a busy machine, the default of 1 s is too short
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/{unit,platform,providers,infra}/**/*.test.ts", "test/integration/**/*.fast.test.ts"],
          exclude: ["**/*.slow.test.ts"],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // CDK's own template validation takes 8 s in each worker. The bundle tests run it, as `cdk synth` does.
          env: { CDK_VALIDATION: "false" },
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "test/{unit,platform,providers,infra}/**/*.slow.test.ts"],
          exclude: ["**/*.fast.test.ts", ...skippedTests, ...impossibleUpgradeTests()],
          testTimeout: 300_000, // on a busy machine
          hookTimeout: 180_000,
        },
      },
      // The walls around programs where the service is not root. With a range in /etc/subuid, programs are other users of the kernel.
      ...(process.getuid?.() === 0 ? ["range", "none"] : []).map((range) => ({
        extends: true as const,
        test: {
          name: `user-${range}`,
          include: ["test/integration/sandbox/linux/{attacks,host-attacks,room,walls}.test.ts"],
          exclude: skippedTests,
          setupFiles: ["test/support/as-ordinary-user.ts"],
          env: { SUBUID: range },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      })),
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/browser/setup.ts"],
          isolate: false, // the files of a worker share its Chromium and its service
          // What a busy machine needs: tests wait for what happens, not for a time.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: "clients",
          include: ["test/clients/**/*.test.ts"],
          exclude: skippedTests,
          globalSetup: ["test/clients/setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 900_000, // they pack and install
        },
      },
      {
        extends: true,
        test: {
          name: "soak",
          include: ["test/soak/**/*.test.ts"],
          exclude: skippedTests,
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
