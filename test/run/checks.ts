import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildConsole } from "../../src/api/console-build.ts";
import { type Counts, type Fault, print } from "./outcome.ts";
import { type FileReport, REPORT_FILE, type RunReport } from "./report.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const REPORTER = path.join(import.meta.dirname, "report.ts");

export async function buildsConsole(): Promise<Counts> {
  try {
    await buildConsole({ dataDir: path.join(ROOT, "data") });
    return { passed: 1, failed: 0, skipped: 0 };
  } catch (error) {
    print((error as Error).message);
    const fault = { place: "the console does not build", error: (error as Error).message };
    return { passed: 0, failed: 1, skipped: 0, faults: [fault] };
  }
}

export async function runTool(packageName: string, command: string, args: string[]): Promise<Counts> {
  const ok = (await runNode(packageName, command, args)).status === 0;
  const fault = { place: [command, ...args].join(" "), error: "what it found is printed above" };
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, faults: ok ? [] : [fault] };
}

/**
 * The compiler's look at a project. What it found of each file is kept, by what stands in it, so that the next look takes a
 * fifteenth where little differs.
 */
export function checkTypes(project: "." | "src/console" | "sdk/react"): Promise<Counts> {
  const name = `${{ ".": "program", "src/console": "console", "sdk/react": "react" }[project]}.json`;
  const known = path.join(ROOT, "node_modules/.cache/parley-types", name);
  return runTool("typescript", "tsc", ["-p", project, "--incremental", "--tsBuildInfoFile", known]);
}

/** Vitest with these arguments. */
export async function runTests(args: string[]): Promise<Counts> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-test-report-"));
  const report = path.join(folder, "report.json");
  try {
    // The native loader writes nothing into node_modules, which this user may not own.
    const loader = "--configLoader=native";
    const reporters = ["--reporter=default", `--reporter=${REPORTER}`];
    const ended = await runNode("vitest", "vitest", ["run", loader, ...reporters, ...args], {
      [REPORT_FILE]: report,
    });
    return countTests(readReport(report), ended);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): RunReport {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RunReport;
  } catch {
    // There is none when Vitest crashes or finds no test file.
    return { files: [], uncaught: [] };
  }
}

function countTests({ files, uncaught }: RunReport, { status, lastWords }: Ended): Counts {
  const all = files.flatMap((file) => file.tests);
  const passed = all.filter((test) => test.state === "passed").length;
  const skipped = all.filter((test) => test.state === "skipped").length;
  const faults = [...files.flatMap(faultsOf), ...uncaught.map(uncaughtFault)];
  const unexplained = faults.length === 0 && (status !== 0 || passed === 0);
  if (unexplained) {
    // What fails after the report, as the end of a database server, Vitest only prints.
    faults.push({ place: `Vitest ended with ${status}, and no test failed`, error: lastWords });
  }
  const times = files.map(({ name, seconds }) => ({ name: path.relative(ROOT, name), seconds }));
  return { passed, failed: faults.length, skipped, files: times, faults };
}

const uncaughtFault = ({ during, error }: RunReport["uncaught"][number]): Fault => ({
  place:
    during === "" ? "outside the tests" : `an error nobody caught, while ${path.relative(ROOT, during)} ran`,
  error,
});

/** What failed in a file: its tests, and the file itself where it does not load or a hook fails. */
function faultsOf({ name, tests, errors }: FileReport): Fault[] {
  const file = path.relative(ROOT, name);
  const failed = tests.filter((test) => test.state === "failed");
  return [
    ...errors.map((error) => ({ place: file, error })),
    ...failed.map((test) => ({ place: `${file} > ${test.name}`, error: test.error })),
  ];
}

/** How a command ended; `lastWords` are the end of what it printed as errors. */
type Ended = { status: number | null; lastWords: string };
const LAST_WORDS_BYTES = 2_000;

/** Runs a package's command on the Node.js we run on, which also comes first on the PATH of what it starts. */
async function runNode(
  packageName: string,
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> | string };
  const script = typeof bin === "string" ? bin : bin[command];
  if (script === undefined) throw new Error(`${packageName} has no command ${command}`);
  const searchPath = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ""}`;
  const child = spawn(process.execPath, [path.join(path.dirname(manifest), script), ...args], {
    cwd: ROOT,
    stdio: ["inherit", "inherit", "pipe"],
    env: { ...process.env, ...env, PATH: searchPath },
  });
  running.add(child);
  let lastWords = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-LAST_WORDS_BYTES);
    process.stderr.write(chunk);
  });
  const [status] = (await once(child, "close")) as [number | null];
  running.delete(child);
  if (interrupted) process.exit(130);
  return { status, lastWords };
}

const running = new Set<ChildProcess>();
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill(signal);
  });
}
