import { readFile } from "node:fs/promises";
import { readSuiteFile } from "../evaluations/suite-file.ts";
import type { TestSuiteInput } from "../evaluations/test-case.ts";

/** The suite that the demo begins with: the same file that `./parley evaluate` takes. */
export async function clinicTests(): Promise<TestSuiteInput> {
  const read = await readSuiteFile(await readFile(new URL("clinic-tests.yaml", import.meta.url), "utf8"));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.value;
}
