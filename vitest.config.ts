import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/deploy/**"], // npm run test:deploy
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
