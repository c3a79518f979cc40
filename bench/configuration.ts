import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { MAIN, startProgram } from "../test/harness/start-program.ts";
import { machine, markdownTable, median, print } from "./platform.ts";

/**
 * How long `export`, `plan`, `apply` and `drift` take as commands of a terminal: the demo's records alone, which is mostly
 * the start of the command, and with 500 agents and prompts beside them. Run: node bench/configuration.ts [records] [rounds]
 */
const RECORDS = Number(process.argv[2] ?? 500);
const ROUNDS = Number(process.argv[3] ?? 5);

// Ended and removed however it ends, also where the program doesn't start.
await using open = new AsyncDisposableStack();
const folder = open.adopt(mkdtempSync(path.join(tmpdir(), "parley-bench-")), (own) =>
  rmSync(own, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 }),
);
const program = open.adopt(await startProgram(folder), ({ end }) => end("SIGTERM"));
const { url, token = "" } = program.greeting;
const rows: (string | number)[][] = [];
const typed = async (...args: string[]): Promise<string> => {
  const env = { ...process.env, PUBLIC_URL: url, PARLEY_API_TOKEN: token };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env,
    maxBuffer: 2 ** 26,
  });
  return stdout;
};
const row = async (title: string, rounds: number, ...args: string[]): Promise<void> => {
  const took: number[] = [];
  let said = "";
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    said = await typed(...args);
    took.push((performance.now() - began) / 1000);
  }
  const told = said.split("\n").find((line) => /^(http|Done|clinic)/.test(line)) ?? "";
  rows.push([title, told.replace(/^http\S+ /, ""), median(took).toFixed(2)]);
};

await row("export, the demo", 1, "export", "clinic");
await row("plan, the demo", ROUNDS, "plan", "clinic");
multiply(path.join(folder, "clinic"), RECORDS);
await row(`plan, ${RECORDS} more`, ROUNDS, "plan", "clinic");
await row(`apply, ${RECORDS} new ones`, 1, "apply", "clinic");
await row("plan, nothing to do", ROUNDS, "plan", "clinic");
await row("drift", ROUNDS, "drift", "clinic");
await row("export", ROUNDS, "export", "clinic", "--replace");
print(machine());
print(markdownTable(["command", "what it says", "seconds"], rows));

/** Copies of the demo's agent and of its prompt, in turn, each with a number. */
function multiply(of: string, count: number): void {
  const sources = { agents: "demo-clinic", prompts: "demo-clinic-receptionist" };
  for (let n = 0; n < count; n++) {
    const [kind, file] = Object.entries(sources)[n % 2] as [string, string];
    const text = readFileSync(path.join(of, kind, `${file}.yaml`), "utf8");
    writeFileSync(
      path.join(of, kind, `${file}-${n}.yaml`),
      text.replace(/^name: .*$/m, (name) => `${name} ${n}`),
    );
  }
}
