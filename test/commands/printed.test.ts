import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, run } from "./program.ts";

const into = (place: string, before = "") => ["sh", "-c", `${before} exec "$@" > ${place}`, "sh"];

test("what is printed into a file is there whole, or the command fails and says why", async () => {
  const folder = newFolder();
  const file = path.join(folder, "out");
  expect(await run(["sbom"], { folder, through: into("out") })).toMatchObject({ code: 0, stderr: "" });
  const { components } = JSON.parse(readFileSync(file, "utf8"));
  expect(components.length).toBeGreaterThan(100);

  // The system takes the first part of a write, and refuses the rest.
  const limited = await run(["sbom"], { folder, through: into("out", "ulimit -f 40;") });
  expect(limited.code).toBe(1);
  expect(limited.stderr).toMatch(/^parley: The output can't be written: .*file too large/);
  expect(statSync(file).size).toBeLessThanOrEqual(40 * 1024);
});

test.runIf(existsSync("/dev/full"))("what finds no room on the disk is told", async () => {
  expect(await run(["help"], { folder: newFolder(), through: into("/dev/full") })).toEqual({
    code: 1,
    stdout: "",
    stderr: "parley: The output can't be written: the disk is full.\n",
  });
});
