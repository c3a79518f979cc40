import { defineConfig } from "vitest/config";
import { WAITING } from "./test/harness/waiting.ts";

/** The long forms do everything ten times as often. */
const LONGER = process.env.NIGHTLY === "1" ? 10 : 1;

const SHARED = {
  globalSetup: ["test/harness/postgres.ts"],
  setupFiles: ["test/harness/set-up.ts"],
  // These tell what hangs from what is slow, and assert nothing: a machine that others use, too, takes twenty times as long
  // for some minutes now and then.
  testTimeout: 900_000 * LONGER,
  hookTimeout: 900_000,
  expect: { poll: WAITING },
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

/** The same, in a browser. */
const browsers = {
  ...SHARED,
  name: "browsers",
  include: ["test/browser/**/*.test.ts"],
  exclude: [TOUR],
  isolate: false,
};

/** Tests that start programs and servers, and mostly wait for them. */
const programs = {
  ...SHARED,
  name: "programs",
  include: ["test/{chaos,commands,database,speech}/**/*.test.ts", ...STARTING, TOUR],
  setupFiles: [...SHARED.setupFiles, "test/harness/set-up-programs.ts"],
  isolate: false,
};

export default defineConfig({ test: { projects: [{ test: fast }, { test: browsers }, { test: programs }] } });
