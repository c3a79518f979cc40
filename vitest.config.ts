import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/harness/postgres.ts"],
    // A file has its own database, so files may run side by side; two cores carry two well.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Real browsers, processes and databases miss a deadline on a machine that stalls for seconds. CI tries once more;
    // by hand nothing is retried, so that a flaky test is seen and mended.
    retry: process.env.CI ? 1 : 0,
  },
});
