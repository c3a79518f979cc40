import { defineConfig } from "vitest/config";

/** The long forms do everything ten times as often. */
const LONGER = process.env.NIGHTLY === "1" ? 10 : 1;

const SHARED = {
  globalSetup: ["test/harness/postgres.ts"],
  setupFiles: ["test/harness/set-up.ts"],
  testTimeout: 90_000 * LONGER,
  hookTimeout: 180_000,
  // Waiting for what comes by itself is bounded by the test's own time, not by how busy the machine is.
  expect: { poll: { timeout: 45_000 } },
};

/** They start programs, which what the others of their kind have compiled serves. */
const STARTING = ["test/security/{soak,step-down}.test.ts"];

/** Files share the processes that run them, and so the program's modules, which are read once: what a test opens is its own. */
const fast = {
  ...SHARED,
  name: "fast",
  include: ["{src,sdk}/**/*.test.ts", "test/{conformance,contract,invariants,security,stories}/**/*.test.ts"],
  exclude: STARTING,
  isolate: false,
};

/** Walks through a program that it starts itself. */
const TOUR = "test/browser/console-tour.test.ts";

/** A test that starts programs or opens a dozen pages takes 20 s alone, and minutes on a busy machine. */
const PATIENT_MS = 300_000 * LONGER;

/** The same, in a browser. */
const browsers = {
  ...SHARED,
  name: "browsers",
  include: ["test/browser/**/*.test.ts"],
  exclude: [TOUR],
  testTimeout: PATIENT_MS,
  isolate: false,
};

/** Tests that start programs and servers, and mostly wait for them. */
const programs = {
  ...SHARED,
  name: "programs",
  include: ["test/{chaos,commands,database,speech}/**/*.test.ts", ...STARTING, TOUR],
  setupFiles: [...SHARED.setupFiles, "test/harness/set-up-programs.ts"],
  testTimeout: PATIENT_MS,
  isolate: false,
};

export default defineConfig({ test: { projects: [{ test: fast }, { test: browsers }, { test: programs }] } });
