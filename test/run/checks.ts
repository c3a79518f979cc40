import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildConsole } from "../../src/api/console-build.ts";
import { type Counts, type Fault, type FileTime, print } from "./outcome.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const QUIET_REPORT = path.join(import.meta.dirname, "quiet-report.ts");

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
  const ok = (await runNode(packageName, command, args)) === 0;
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

/** Vitest with these arguments. `keepOutput`: what it prints comes when it has ended. */
export async function runTests(args: string[], { keepOutput = false } = {}): Promise<Counts> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-test-report-"));
  const report = path.join(folder, "report.json");
  try {
    // The native loader writes nothing into node_modules, which this user may not own.
    const loader = "--configLoader=native";
    const reporters = ["--reporter=default", `--reporter=${QUIET_REPORT}`, `--outputFile.json=${report}`];
    const status = await runNode("vitest", "vitest", ["run", loader, ...reporters, ...args], keepOutput);
    return countTests(readReport(report), status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The part of Vitest's JSON report that we count. */
type TestFile = {
  name: string;
  status: string;
  startTime: number;
  endTime: number;
  /** Why the file did not load, or a hook of it failed. */
  message?: string;
  assertionResults: { status: string; fullName: string; failureMessages?: string[] | null }[];
};

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
  const skipped = all.filter((test) => test.status !== "passed" && test.status !== "failed").length;
  const faults = files.flatMap(faultsOf);
  const unexplained = faults.length === 0 && (status !== 0 || passed === 0);
  if (unexplained) faults.push({ place: "", error: `Vitest ended with ${status}, and no test failed` });
  return { passed, failed: faults.length, skipped, files: files.map(timeOf), faults };
}

/** What failed in a file: its tests, or the file itself where it does not load or a hook fails. */
function faultsOf({ name, status, message, assertionResults }: TestFile): Fault[] {
  const file = path.relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length === 0 && status === "failed") return [{ place: file, error: message ?? "" }];
  return failed.map(({ fullName, failureMessages }) => ({
    place: `${file} > ${fullName}`,
    error: failureMessages?.[0] ?? "",
  }));
}

const timeOf = ({ name, startTime, endTime }: TestFile): FileTime => ({
  name: path.relative(ROOT, name),
  seconds: (endTime - startTime) / 1000,
});

/** Runs a package's command on the Node.js we run on, which also comes first on the PATH of what it starts. */
async function runNode(
  packageName: string,
  command: string,
  args: string[],
  keepOutput = false,
): Promise<number | null> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${packageName}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> | string };
  const script = typeof bin === "string" ? bin : bin[command];
  if (script === undefined) throw new Error(`${packageName} has no command ${command}`);
  const searchPath = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ""}`;
  const child = spawn(process.execPath, [path.join(path.dirname(manifest), script), ...args], {
    cwd: ROOT,
    stdio: keepOutput ? ["inherit", "pipe", "pipe"] : "inherit",
    env: { ...process.env, PATH: searchPath },
  });
  running.add(child);
  const kept: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => kept.push(chunk));
  const [status] = (await once(child, "close")) as [number | null];
  running.delete(child);
  if (interrupted) process.exit(130);
  process.stdout.write(Buffer.concat(kept));
  return status;
}

const running = new Set<ChildProcess>();
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) child.kill(signal);
  });
}
