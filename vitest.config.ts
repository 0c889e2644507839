import { defineConfig } from "vitest/config";

// Every package's tests in one run; they use what `npm run build` and the release build of the driver made.
export default defineConfig({
  test: {
    include: ["ts/*/{src,test}/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ["default"],
  },
});
