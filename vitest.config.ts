import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/harness/postgres.ts"],
    setupFiles: ["test/harness/seed.ts"],
    // A file has its own database, so files may run side by side; two cores carry two well.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 180_000,
    // Waiting for what comes by itself is bounded by the test's own time, not by how busy the machine is.
    expect: { poll: { timeout: 45_000 } },
  },
});
