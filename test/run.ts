import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildConsole } from "../src/api/console-build.ts";

/**
 * `./parley test` checks types, then style, then runs the tests; with arguments, only the tests they name. The last
 * line holds the true counts: what fails without belonging to a test (a file that does not load, a hook, an error
 * nobody awaited, a crash) is counted too.
 */
type Outcome = { name: string; passed: number; failed: number; skipped: number; seconds: number };
type Counts = Omit<Outcome, "name" | "seconds">;

const ROOT = path.dirname(import.meta.dirname);
const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(filters: string[]): Promise<number> {
  const outcomes: Outcome[] = [];
  if (filters.length === 0) {
    outcomes.push(await timed("types", () => runTool("typescript", "tsc", ["-p", "."])));
    outcomes.push(
      await timed("types of the console", () => runTool("typescript", "tsc", ["-p", "src/console"])),
    );
    outcomes.push(await timed("console", buildsConsole));
    outcomes.push(await timed("style", () => runTool("@biomejs/biome", "biome", ["check"])));
  }
  outcomes.push(await timed("tests", () => runTests(filters)));
  return summarize(outcomes);
}

async function timed(name: string, run: () => Promise<Counts>): Promise<Outcome> {
  print(`── ${name}`);
  const begun = performance.now();
  const counts = await run();
  const seconds = (performance.now() - begun) / 1000;
  print(`── ${name}: ${counts.failed > 0 ? "failed" : "passed"} in ${seconds.toFixed(1)} s\n`);
  return { name, ...counts, seconds };
}

async function runTool(packageName: string, command: string, args: string[]): Promise<Counts> {
  const ok = (await runNode(packageName, command, args)) === 0;
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

/** Tests in a browser start from the bundle, and bundling would take the processor from those beside them. */
async function buildsConsole(): Promise<Counts> {
  try {
    await buildConsole({ dataDir: path.join(ROOT, "data") });
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    print((error as Error).message);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

async function runTests(filters: string[]): Promise<Counts> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-test-report-"));
  const report = path.join(folder, "report.json");
  try {
    // The native loader writes nothing into node_modules, which this user may not own.
    const loader = "--configLoader=native";
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const status = await runNode("vitest", "vitest", ["run", loader, ...reporters, ...filters]);
    return countTests(readReport(report), status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The part of Vitest's JSON report that we count. */
type TestFile = { name: string; status: string; assertionResults: { status: string }[] };

function readReport(file: string): TestFile[] {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { testResults: TestFile[] }).testResults;
  } catch {
    // Vitest writes none when it crashes or finds no test file.
    return [];
  }
}

function countTests(files: TestFile[], status: number | null): Counts {
  const all = files.flatMap((file) => file.assertionResults);
  const passed = all.filter((test) => test.status === "passed").length;
  const failed = all.filter((test) => test.status === "failed").length;
  const skipped = all.length - passed - failed;
  const brokenFiles = files.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const counted = failed + brokenFiles;
  const unexplained = counted === 0 && (status !== 0 || passed === 0);
  return { passed, failed: unexplained ? 1 : counted, skipped };
}

/** Runs a package's command on the Node.js we run on, which also comes first on the PATH of what it starts. */
async function runNode(packageName: string, command: string, args: string[]): Promise<number | null> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> | string };
  const script = typeof bin === "string" ? bin : bin[command];
  if (script === undefined) throw new Error(`${packageName} has no command ${command}`);
  const searchPath = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ""}`;
  const child = spawn(process.execPath, [path.join(path.dirname(manifest), script), ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, PATH: searchPath },
  });
  running = child;
  const [status] = (await once(child, "exit")) as [number | null];
  if (interrupted) process.exit(130);
  return status;
}

let running: ReturnType<typeof spawn> | undefined;
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill(signal);
  });
}

function summarize(outcomes: Outcome[]): number {
  const total = (count: keyof Counts) => outcomes.reduce((sum, outcome) => sum + outcome[count], 0);
  const row = (cells: string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(8) : cell.padStart(10))).join("");
  print(row(["", "passed", "failed", "skipped", "seconds"]));
  for (const { name, passed, failed, skipped, seconds } of outcomes) {
    print(row([name, `${passed}`, `${failed}`, `${skipped}`, seconds.toFixed(1)]));
  }
  const [passed, failed, skipped] = [total("passed"), total("failed"), total("skipped")];
  print("");
  print(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
