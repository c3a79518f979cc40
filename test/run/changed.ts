import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const ROOT = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const git = async (...args: string[]) =>
  (await run("git", args, { cwd: ROOT })).stdout.split("\n").filter(Boolean);

/** What is always asked: who imports whom, and whether what is derived fits. */
const ALWAYS = ["test/invariants/imports.test.ts", "test/invariants/drift.test.ts"];

/** What differs from the last commit, and what is in none yet. */
export const changedFiles = async (): Promise<string[]> => [
  ...(await git("diff", "--name-only", "HEAD")),
  ...(await git("ls-files", "--others", "--exclude-standard")),
];

/** Of these files those that are there yet. */
export const stillThere = (files: string[]): string[] =>
  files.filter((file) => existsSync(path.join(ROOT, file)));

/** The tests of these files: their folders' own, their area's contract, and those among them. */
export const testsOfAll = (files: string[]): string[] => [...new Set([...ALWAYS, ...files.flatMap(testsOf)])];

/** Rooms that only decide are shown by the contract of the room that acts on what they say. */
const SHOWN_BY: Record<string, string> = { planning: "dialing", mime: "dialogues", schemas: "tools" };

function testsOf(file: string): string[] {
  if (/^test\/.*\.test\.ts$/.test(file)) return [file];
  const [, area] = /^src\/([^/]+)\//.exec(file) ?? [];
  return area === undefined ? [] : [`src/${area}/`, `test/contract/${SHOWN_BY[area] ?? area}/`];
}
