import { defineConfig } from "vitest/config";

const SHARED = {
  globalSetup: ["test/harness/postgres.ts"],
  setupFiles: ["test/harness/set-up.ts"],
  testTimeout: 90_000,
  hookTimeout: 180_000,
  // Waiting for what comes by itself is bounded by the test's own time, not by how busy the machine is.
  expect: { poll: { timeout: 45_000 } },
};

/** Files share the processes that run them, and so the program's modules, which are read once: what a test opens is its own. */
const fast = {
  ...SHARED,
  name: "fast",
  include: ["src/**/*.test.ts", "test/{conformance,contract,invariants,security,stories}/**/*.test.ts"],
  isolate: false,
};

/** Tests that start programs, servers and browsers, and mostly wait for them: each file has a process of its own. */
const programs = {
  ...SHARED,
  name: "programs",
  include: ["test/{browser,chaos,commands,database}/**/*.test.ts"],
};

export default defineConfig({ test: { projects: [{ test: fast }, { test: programs }] } });
