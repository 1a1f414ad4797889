import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { impossibleUpgradeTests } from "../../scripts/check-out.ts";
import { skippedTests } from "../gates.ts";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/deploy/*.test.ts"],
    exclude: [...skippedTests, ...impossibleUpgradeTests()],
    fileParallelism: false, // one emulator
    // Most take under 10 s on two idle processors.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
