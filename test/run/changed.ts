import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const ROOT = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const git = async (...args: string[]) =>
  (await run("git", args, { cwd: ROOT })).stdout.split("\n").filter(Boolean);

/** What is always asked: who imports whom, and whether what is derived fits. */
const ALWAYS = ["test/invariants/imports.test.ts", "test/invariants/drift.test.ts"];

/** The tests of what differs from the last commit: the changed folders' own, their area's contract, and changed tests. */
export async function changedTests(): Promise<string[]> {
  const files = [
    ...(await git("diff", "--name-only", "HEAD")),
    ...(await git("ls-files", "--others", "--exclude-standard")),
  ];
  return [...new Set([...ALWAYS, ...files.flatMap(testsOf)])];
}

/** Rooms that only decide are shown by the contract of the room that acts on what they say. */
const SHOWN_BY: Record<string, string> = { planning: "dialing", mime: "dialogues", schemas: "tools" };

function testsOf(file: string): string[] {
  if (/^test\/.*\.test\.ts$/.test(file)) return [file];
  const [, area] = /^src\/([^/]+)\//.exec(file) ?? [];
  return area === undefined ? [] : [`src/${area}/`, `test/contract/${SHOWN_BY[area] ?? area}/`];
}
