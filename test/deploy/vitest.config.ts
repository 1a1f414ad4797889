import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { impossibleUpgradeTests } from "../../scripts/check-out.ts";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/deploy/*.test.ts"],
    exclude: impossibleUpgradeTests(),
    fileParallelism: false, // one emulator
    // Most take under 10 s on two idle processors.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
