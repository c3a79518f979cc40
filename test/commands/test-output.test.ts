import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const RUN = path.resolve(import.meta.dirname, "../run.ts");

test("./parley test ends with the counts, and says nothing of the report it made them from", async () => {
  const run = promisify(execFile)(process.execPath, [RUN, "src/base/nesting.test.ts"]);
  const { stdout } = await run;
  expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^\d+ passed, 0 failed/);
  expect(stdout).not.toMatch(/JSON|report/);
});
