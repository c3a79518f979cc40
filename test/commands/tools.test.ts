import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");
const run = (file: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, file), ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};

test.each([
  ["react-package", "scripts/react-package.ts"],
  ["strings", "scripts/strings.ts"],
])("./parley %s says what it does, and does nothing with an option that it doesn't know", (tool, file) => {
  const usage = expect.stringMatching(new RegExp(`^\\./parley ${tool}`, "m"));
  expect(run(file, "--help")).toEqual({ status: 0, stdout: usage, stderr: "" });
  expect(run(file, "--unknown")).toEqual({ status: 2, stdout: "", stderr: usage });
});

test("the package for React is not built into a folder that holds something else, which would be removed", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "mine-"));
  writeFileSync(path.join(folder, "letter.txt"), "Dear Ada");
  expect(run("scripts/react-package.ts", folder)).toEqual({
    status: 2,
    stdout: "",
    stderr: `parley react-package: ${folder} is not empty and holds no earlier build.\n`,
  });
  expect(readdirSync(folder)).toEqual(["letter.txt"]);
});
