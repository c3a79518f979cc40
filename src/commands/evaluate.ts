import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { readTextFile } from "../api/input/text-file.ts";
import { shownPath } from "../api/input/yaml-file.ts";
import { Fault, unreadable, unwritable } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { readSuiteFile } from "../evaluations/suite-file.ts";
import type { TestSummary } from "../evaluations/summary.ts";
import type { TestSuiteInput } from "../evaluations/test-case.ts";
import { client, tokenOfThisMachine } from "./api-client.ts";
import { findAgent } from "./chat.ts";
import { type EvaluatedResult, junitOf, reportOf } from "./reports/evaluate-report.ts";
import { INTERRUPTED, stopSignal } from "./stop-signal.ts";
import { requireWritable } from "./typed/require-writable.ts";

/** Between two looks at a run. */
const LOOK_MS = 300;
const PASSED = 0;
const FAILED = 1;
const FAULTY = 2;

type Wanted = {
  file: string;
  agent: string | null;
  against: "draft" | "live" | number;
  repetitions: number;
  seed: number;
  cost_cap_usd: number | null;
  junit: string | null;
  json: boolean;
};
type Run = { id: number; status: string; agent: string; version: number | null; summary: TestSummary };

/**
 * Saves a suite from a file, runs it on the Parley that runs here, and prints what failed and why. Resolves with the exit
 * code: 0 all passed, 1 some failed, 2 the suite or the command line is faulty, or Parley did not play it.
 */
export async function evaluate(
  args: string[],
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const wanted = readWanted(args);
  if (typeof wanted === "string") return faulty([wanted]);
  const text = await readTextFile(wanted.file).catch((error) => error as Error);
  if (typeof text !== "string") return faulty([unreadable(wanted.file, text)]);
  const read = await readSuiteFile(text);
  if (!read.ok)
    return faulty(
      read.faults.map(({ path, line, column, message }) => {
        const place = shownPath(path);
        return `${wanted.file}:${line}:${column}: ${place ? `${place}: ` : ""}${message}`;
      }),
    );

  try {
    if (wanted.junit !== null) await requireWritable(wanted.junit);
    const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
    return await played(parley, read.value, wanted);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return faulty([error.kind === "not-found" ? `${wanted.file}: agent: ${error.message}` : error.message]);
  }
}

async function played(parley: ParleyClient, file: TestSuiteInput, wanted: Wanted): Promise<number> {
  const suite = { ...file, agent: wanted.agent ?? file.agent };
  const { id } = await findAgent(parley, suite.agent);
  const version = await versionOf(parley, id, wanted.against);
  const saved = await parley.import_test_suite({ body: { text: JSON.stringify(file) } });
  // What is doubtful is told of the draft: another version may have the tools that it lacks.
  if (wanted.against === "draft" && saved.findings.length > 0)
    return faulty(saved.findings.map(({ path, message }) => `${wanted.file}: ${path}: ${message}`));

  const { repetitions, seed, cost_cap_usd } = wanted;
  const body = { agent: suite.agent, version, repetitions, seed, cost_cap_usd };
  const begun = await parley.run_test_suite({ path: { suite_id: saved.id }, body });
  const run = await followRun(parley, begun.id, wanted.json);
  if (!run) return INTERRUPTED;
  const results = await resultsOf(parley, run.id);
  process.stdout.write(
    wanted.json
      ? `${JSON.stringify({ suite: suite.name, run_id: run.id, agent: run.agent, version: run.version, seed, summary: run.summary, results })}\n`
      : reportOf(run, results),
  );
  const { junit } = wanted;
  if (junit)
    await writeFile(junit, junitOf(suite.name, results)).catch((error) => {
      throw unwritable(junit, error);
    });
  return results.every(({ status }) => status === "passed") ? PASSED : FAILED;
}

/** null: what was saved last, which is also what people reach of an agent without versions. */
async function versionOf(
  parley: ParleyClient,
  agent_id: number,
  against: Wanted["against"],
): Promise<number | null> {
  if (against === "draft") return null;
  if (against !== "live") {
    const query = { search_fields: ["version_number" as const], search_field_values: [String(against)] };
    const { items } = await parley.list_agent_versions({ path: { agent_id }, query });
    if (items.length === 0) throw new Fault("not-found", `The agent has no version ${against}.`);
    return against;
  }
  return (await parley.get_agent_versioning({ path: { agent_id } })).published_version;
}

/** Looks until it is over; the run is cancelled by Ctrl-C. */
export async function followRun(parley: ParleyClient, id: number, quiet: boolean): Promise<Run | null> {
  const stop = stopSignal();
  const show = !quiet && process.stderr.isTTY;
  for (;;) {
    const run = await parley.get_test_run({ path: { run_id: id } });
    const { total, pending } = run.summary.results;
    if (show) process.stderr.write(`\r${total - pending} of ${total} conversations`);
    if (run.status !== "running") {
      if (show) process.stderr.write("\r\u001b[K");
      return run;
    }
    if (stop.aborted) {
      await parley.cancel_test_run({ path: { run_id: id } });
      return null;
    }
    await sleep(LOOK_MS);
  }
}

const PAGE = 1_000;

async function resultsOf(parley: ParleyClient, run_id: number): Promise<EvaluatedResult[]> {
  const results: EvaluatedResult[] = [];
  for (;;) {
    const query = { limit: PAGE, offset: results.length };
    const { items } = await parley.list_test_run_results({ path: { run_id }, query });
    results.push(...items);
    if (items.length < PAGE) return results;
  }
}

/** What was asked for, or why it can't be. */
function readWanted(args: string[]): Wanted | string {
  const values = new Map<string, string>();
  const files: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--json" || !arg.startsWith("--")) {
      if (arg !== "--json") files.push(arg);
      continue;
    }
    const value = args[++at];
    if (value === undefined || value.startsWith("--")) return `${arg} needs a value.`;
    values.set(arg, value);
  }
  const [file] = files;
  if (file === undefined || files.length > 1) return "Name one file: ./parley evaluate suite.yaml";
  const repeat = values.get("--repeat") ?? "1";
  if (!/^\d{1,3}$/.test(repeat) || Number(repeat) < 1 || Number(repeat) > 100)
    return "--repeat takes a number from 1 to 100.";
  const seed = values.get("--seed") ?? "1";
  if (!/^\d{1,9}$/.test(seed)) return "--seed takes a number.";
  const against = values.get("--against") ?? "draft";
  if (!/^(draft|live|[1-9]\d{0,8})$/.test(against))
    return "--against takes draft, live or the number of a version.";
  const cap = values.get("--cost-cap");
  if (cap !== undefined && !/^\d+(\.\d+)?$/.test(cap)) return "--cost-cap takes an amount in US dollars.";
  return {
    file,
    agent: values.get("--agent") ?? null,
    against: against === "draft" || against === "live" ? against : Number(against),
    repetitions: Number(repeat),
    seed: Number(seed),
    cost_cap_usd: cap === undefined ? null : Number(cap),
    junit: values.get("--junit") ?? null,
    json: args.includes("--json"),
  };
}

function faulty(lines: string[]): number {
  for (const line of lines) process.stderr.write(`parley: ${line}\n`);
  return FAULTY;
}
