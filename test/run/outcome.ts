/** What a part of the run came to. */
export type Counts = { passed: number; failed: number; skipped: number };
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

/** Prints the table and the true counts; returns the exit code. */
export function summarize(outcomes: Outcome[]): number {
  const total = (count: keyof Counts) => outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  const row = (cells: string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(22) : cell.padStart(10))).join("");
  print(row(["", "passed", "failed", "skipped", "seconds"]));
  for (const { name, passed, failed, skipped, seconds } of outcomes) {
    print(row([name, `${passed}`, `${failed}`, `${skipped}`, seconds.toFixed(1)]));
  }
  const [passed, failed, skipped] = [total("passed"), total("failed"), total("skipped")];
  print("");
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}
