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
    // Most take under 10 s on two idle processors. A deployment took over four minutes on two that do much else.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
