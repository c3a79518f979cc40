import { stripVTControlCharacters } from "node:util";

/** What a part of the run came to. */
export type Counts = {
  passed: number;
  failed: number;
  skipped: number;
  files?: FileTime[];
  faults?: Fault[];
};
/** What failed, and the error as it was told. */
export type Fault = { place: string; error: string };
/** How long a test file took, from its first test to its last. */
export type FileTime = { name: string; seconds: number };
export type Outcome = Counts & { name: string; seconds: number };

export const print = (line: string): boolean => process.stdout.write(`${line}\n`);

export async function timed(name: string, run: () => Promise<Counts>): Promise<Outcome> {
  print(`── ${name}`);
  const begun = performance.now();
  const counts = await run();
  const seconds = (performance.now() - begun) / 1000;
  print(`── ${name}: ${counts.failed > 0 ? "failed" : "passed"} in ${seconds.toFixed(1)} s\n`);
  return { name, ...counts, seconds };
}

/** As many of the files that took longest are named, so that whoever makes one dear sees it. */
const DEAREST = 5;
/** Of what failed so many are listed, with the first lines of each error: the end of a run says what to look at. */
const LISTED = 12;
const ERROR_LINES = 3;
const LINE_LENGTH = 200;

/** Prints the table, the dearest files, what failed and the true counts; returns the exit code. */
export function summarize(outcomes: Outcome[]): number {
  const total = (count: "passed" | "failed" | "skipped") =>
    outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  const row = (cells: string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(22) : cell.padStart(10))).join("");
  print(row(["", "passed", "failed", "skipped", "seconds"]));
  for (const { name, passed, failed, skipped, seconds } of outcomes) {
    print(row([name, `${passed}`, `${failed}`, `${skipped}`, seconds.toFixed(1)]));
  }
  const files = outcomes.flatMap((outcome) => outcome.files ?? []);
  if (files.length > DEAREST) {
    print(`\nthe ${DEAREST} dearest files`);
    for (const { name, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, DEAREST)) {
      print(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
    }
  }
  listFaults(outcomes);
  const [passed, failed, skipped] = [total("passed"), total("failed"), total("skipped")];
  print("");
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}

function listFaults(outcomes: Outcome[]): void {
  const faults = outcomes.flatMap(({ name, faults = [] }) => faults.map((fault) => ({ name, ...fault })));
  if (faults.length === 0) return;
  print("\nfailed");
  for (const { name, place, error } of faults.slice(0, LISTED)) {
    print(`  ${name}: ${place}`);
    for (const line of firstLines(error)) print(`      ${line}`);
  }
  if (faults.length > LISTED) print(`  and ${faults.length - LISTED} more`);
}

const firstLines = (error: string): string[] =>
  stripVTControlCharacters(error)
    .split("\n")
    .map((line) => line.trim().slice(0, LINE_LENGTH))
    .filter((line) => line !== "" && !line.startsWith("at "))
    .slice(0, ERROR_LINES);
