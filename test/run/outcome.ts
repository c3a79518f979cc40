/** What a part of the run came to. */
export type Counts = { passed: number; failed: number; skipped: number; files?: FileTime[] };
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

/** Prints the table, the dearest files and the true counts; returns the exit code. */
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
  const [passed, failed, skipped] = [total("passed"), total("failed"), total("skipped")];
  print("");
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}
