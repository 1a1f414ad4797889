import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { skippedTests } from "../gates.ts";

// npm run test:environment: builds the environment "linux" in every way that this machine can, and uses it.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/environment/*.test.ts"],
    exclude: skippedTests,
    passWithNoTests: true, // of a closed gate
    globalSetup: ["test/support/validators.mjs"],
    setupFiles: ["test/support/no-log.ts"],
    silent: "passed-only",
    maxWorkers: 3, // builds wait for packages and disks
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
