import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// npm run test:moto: the suites of the stores on moto's server, before a release.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/moto/*.test.ts"],
    globalSetup: ["test/support/validators.mjs"],
    setupFiles: ["test/support/no-log.ts", "test/support/loopback-only.ts"],
    silent: "passed-only",
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
