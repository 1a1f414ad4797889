import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/deploy/*.test.ts", "test/platform/endpoint.test.ts"],
    fileParallelism: false, // one emulator, two processors
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
