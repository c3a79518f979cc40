import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/** Where Report writes: set for Vitest by whoever starts it. */
export const REPORT_FILE = "PARLEY_TEST_REPORT";

/** What a run of Vitest came to, as Report writes it. */
export type RunReport = {
  files: FileReport[];
  /** What failed outside of every test: an error that nobody caught, a process that died. */
  uncaught: { during: string; error: string }[];
};
export type FileReport = {
  /** The file's path. */
  name: string;
  /** From its first test to its last. */
  seconds: number;
  tests: { name: string; state: "passed" | "failed" | "skipped"; error: string }[];
  /** Why the file, or a hook of it, failed outside of its tests. */
  errors: string[];
};

/** Writes for Vitest what we count and list, with the errors that no test owns, which its own JSON leaves out. */
export default class Report implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]): void {
    const file = process.env[REPORT_FILE];
    if (file === undefined) throw new Error(`${REPORT_FILE} names no file`);
    const report: RunReport = { files: modules.map(fileReport), uncaught: uncaught.map(uncaughtReport) };
    writeFileSync(file, JSON.stringify(report));
  }
}

function fileReport(module: TestModule): FileReport {
  const tests = [...module.children.allTests()];
  const errors = [module, ...module.children.allSuites()].flatMap((part) => part.errors().map(told));
  const unfinished = ["queued", "pending"].includes(module.state());
  if (unfinished) errors.push("The file did not come to its end");
  return { name: module.moduleId, seconds: secondsOf(tests), tests: tests.map(testReport), errors };
}

function testReport(test: TestCase): FileReport["tests"][number] {
  const result = test.result();
  const state = result.state === "pending" ? "skipped" : result.state;
  const error = result.errors?.[0];
  return { name: test.fullName, state, error: error === undefined ? "" : told(error) };
}

function secondsOf(tests: TestCase[]): number {
  const ran = tests.flatMap((test) => test.diagnostic() ?? []);
  if (ran.length === 0) return 0;
  const begun = Math.min(...ran.map(({ startTime }) => startTime));
  const ended = Math.max(...ran.map(({ startTime, duration }) => startTime + duration));
  return (ended - begun) / 1000;
}

/** The test named is the one that ran when the error came, or the last before it: the process is shared by many files. */
function uncaughtReport(error: SerializedError): RunReport["uncaught"][number] {
  const names = [error.VITEST_TEST_PATH, error.VITEST_TEST_NAME];
  return { during: names.filter((name) => name !== undefined).join(" > "), error: told(error) };
}

/** The error with its cause, which says more where a process of Vitest's own died. */
function told({ name, message, stack, cause }: SerializedError): string {
  const own = stack ?? `${name}: ${message}`;
  return cause === undefined ? own : `${own}\n${told(cause as SerializedError)}`;
}
