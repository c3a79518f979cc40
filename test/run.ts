import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { changedFiles, stillThere, testsOfAll } from "./run/changed.ts";
import { buildsConsole, checkTypes, runTests, runTool } from "./run/checks.ts";
import { type Outcome, print, summarize, timed } from "./run/outcome.ts";

/**
 * `./parley test` checks types, then style, then runs the tests; with paths, only the tests they name. The last line
 * holds the true counts: what fails without belonging to a test (a file that does not load, a hook, an error nobody
 * awaited, a crash) is counted too.
 */
const USAGE = `./parley test [paths]        everything, or the tests below these paths
  --changed                  what belongs to the files that differ from the last commit
  --repeat N [paths]         the programs and browsers N times, or the tests below these paths: finds what is not steady
  --nightly                  the long forms, from a seed that changes (SEED=… keeps one)`;

const OPTIONS = {
  changed: { type: "boolean" },
  repeat: { type: "string" },
  nightly: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** One more than there are cores, since one of them mostly waits. Each reads the program for itself (docs/decisions/0184). */
const WORKERS = Math.min(availableParallelism() + 1, 6);

async function main(): Promise<number> {
  const { values, positionals: paths } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) {
    print(USAGE);
    return 0;
  }
  if (values.nightly) {
    process.env.NIGHTLY = "1";
    process.env.SEED ??= String(randomInt(2 ** 31));
    print(`The long forms, from SEED=${process.env.SEED}`);
  }
  if (values.repeat !== undefined) return summarize(await repeat(Number(values.repeat), paths));
  if (values.changed) return summarize(await changed());
  if (paths.length > 0) return summarize([await timed("tests", () => runTests(paths))]);
  return summarize([...(await standing()), ...(await allTests())]);
}

/** What holds without running anything; the style of these files only, where they are named. */
async function standing(files?: string[]): Promise<Outcome[]> {
  const style = files && ["--files-ignore-unknown=true", "--no-errors-on-unmatched", "--", ...files];
  const checksStyle = () => runTool("@biomejs/biome", "biome", ["check", ...(style ?? [])]);
  return [
    await timed("types", () => checkTypes(".")),
    await timed("types of the console", () => checkTypes("src/console")),
    await timed("types of @parley/react", () => checkTypes("sdk/react")),
    ...(files?.length === 0 ? [] : [await timed("style", checksStyle)]),
  ];
}

async function allTests(): Promise<Outcome[]> {
  // Tests in a browser start from the bundle, and bundling would take the processor from those beside them.
  const console = await timed("console", buildsConsole);
  return [console, ...(await runProjects("fast", "browsers", "programs"))];
}

/** One after the other: side by side, the three made each other dearer (docs/decisions/0184). */
async function runProjects(...projects: ("fast" | "browsers" | "programs")[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const project of projects)
    outcomes.push(await timed(project, () => runTests([`--project=${project}`, `--maxWorkers=${WORKERS}`])));
  return outcomes;
}

async function repeat(times: number, paths: string[]): Promise<Outcome[]> {
  if (!Number.isSafeInteger(times) || times < 1) throw new Error("--repeat takes how often, as --repeat 5");
  const outcomes: Outcome[] = [await timed("console", buildsConsole)];
  for (let time = 1; time <= times; time++) {
    if (paths.length > 0) outcomes.push(await timed(`run ${time}`, () => runTests(paths)));
    else outcomes.push(...(await runProjects("browsers", "programs")));
  }
  return outcomes;
}

async function changed(): Promise<Outcome[]> {
  const files = await changedFiles();
  const tests = testsOfAll(files);
  return [
    ...(await standing(stillThere(files))),
    await timed("tests", () => runTests(["--project=fast", ...tests])),
  ];
}

process.exitCode = await main().catch((error: Error) => {
  print(`${error.message}\n\n${USAGE}`);
  return 2;
});
