import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import path from "node:path";
import { readToolOptions } from "../../scripts/tool-options.ts";
import { silentLog } from "../../src/base/log.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { DEMO_TARGET } from "../../src/demo/seed.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { temporaryFolder } from "../harness/postgres.ts";
import { ATTACKS, shuffled } from "./soak-attacks.ts";
import { HEAD, judge, markdown, ratioOf, row } from "./soak-judge.ts";
import { runSoak } from "./soak-run.ts";
import { setStage } from "./soak-stage.ts";

/**
 * All attacks, one after the other, beside fifty chats, against programs started for this on loopback:
 *
 *   ./parley attack [--minutes 10] [--seed 1] [--processes 1] [--only WORDS] [--json] [--docs]
 *
 * Prints for each attack how often it was tried and answered, the chats' p95 beside it and without it, and the longest
 * block of the main loop. Exit code 1, with the reasons, where a promise of SECURITY.md was broken. `--json` prints the
 * same for programs; progress then goes to stderr. `--docs` writes the table into docs/security.md.
 */
const PEOPLE = 50;
/** Of processor time that is not given back, the attacks' own acts are the most: each may still end. */
const GRACE_MINUTES = 5;

const USAGE = `./parley attack [--minutes 10] [--seed 1] [--processes 1] [--only words] [--json]
  runs all attacks beside fifty chats; exits with 0 when every promise held, 1 when one was broken
  --only          the attacks with these words in their names
  --processes     so many programs on one database, 4 at most`;

const { values } = readToolOptions(USAGE, {
  minutes: { type: "string", default: "10" },
  seed: { type: "string", default: "1" },
  processes: { type: "string", default: "1" },
  only: { type: "string", default: "" },
  json: { type: "boolean", default: false },
  docs: { type: "boolean", default: false },
});
const minutes = Number(values.minutes);
const processes = Number(values.processes);
const seed = Number(values.seed);
const fail = (message: string): never => {
  process.stderr.write(`parley attack: ${message}\n`);
  process.exit(2);
};
if (!(minutes > 0 && minutes <= 60)) fail("--minutes takes a number up to 60.");
if (!Number.isInteger(processes) || processes < 1 || processes > 4) fail("--processes takes 1 to 4.");
if (!Number.isSafeInteger(seed)) fail("--seed takes a whole number.");
const attacks = shuffled(ATTACKS, createRandom(seed).next).filter(({ name }) => name.includes(values.only));
if (attacks.length === 0) fail(`no attack has "${values.only}" in its name.`);

/** Between the two marks. */
function writeDocs(text: string): void {
  const file = path.join(import.meta.dirname, "../../docs/security.md");
  const page = readFileSync(file, "utf8");
  const marked = /<!-- soak -->[\s\S]*<!-- \/soak -->/;
  writeFileSync(
    file,
    page.replace(marked, () => `<!-- soak -->\n${text}\n<!-- /soak -->`),
  );
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const progress = values.json ? (line: string) => process.stderr.write(`${line}\n`) : print;

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort(signal));
const stop = AbortSignal.any([interrupted.signal, AbortSignal.timeout((minutes + GRACE_MINUTES) * 60_000)]);

const folder = mkdtempSync(path.join(temporaryFolder(), "parley-attack-"));
const dataDir = path.join(folder, "postgres");
const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog });
let faults: string[];
try {
  const stage = await setStage({ ...postgres.connection, host: dataDir }, processes);
  try {
    progress(
      `${attacks.length} attacks on ${processes} ${processes === 1 ? "process" : "processes"} beside ${PEOPLE} chats, ${minutes} minutes, seed ${seed}. Times in ms; "own" is what the main loop worked itself, "idle" the block of a process that does nothing.\n\n${HEAD}`,
    );
    let done = 0;
    const soaked = await runSoak(stage.world, attacks, {
      total_ms: minutes * 60_000,
      people: PEOPLE,
      chat: DEMO_TARGET,
      stop,
      idleBlock: stage.idleBlock,
      told(figures) {
        done++;
        progress(row(figures));
        if (process.stderr.isTTY) process.stderr.write(`${done} of ${attacks.length}\r`);
        if (stage.died().length > 0) interrupted.abort("a program died");
      },
    });
    const verdict = judge(soaked.all, soaked.overall, await stage.end());
    faults = verdict.faults;
    if (soaked.all.length < attacks.length)
      faults.push(`only ${soaked.all.length} of ${attacks.length} attacks were tried: ${stop.reason}`);
    const { quiet_p95_ms, p95_ms } = soaked.overall;
    if (values.docs)
      writeDocs(
        `${minutes} minutes, seed ${seed}, ${processes} ${processes === 1 ? "process" : "processes"}, ${cpus().length} cores that the attacks, the chats and PostgreSQL used too. Times in ms. All turns: p95 ${quiet_p95_ms} ms quiet, ${p95_ms} ms beside attacks.\n\n${markdown(soaked.all)}`,
      );
    if (values.json) {
      print(JSON.stringify({ minutes, seed, processes, people: PEOPLE, ...soaked, ...verdict }, null, 2));
    } else {
      print(
        `\np95 of a turn: quiet ${quiet_p95_ms} ms, beside attacks ${p95_ms} ms (${ratioOf(soaked.overall).toFixed(2)}×).`,
      );
      for (const note of verdict.notes) print(`Note: ${note}.`);
    }
  } finally {
    await stage.close();
  }
} catch (error) {
  faults = [`the run broke off: ${(error as Error).message}`];
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (faults.length === 0) progress("Nothing died, nothing foreign was read or changed, no chat failed.");
for (const fault of faults) process.stderr.write(`FAILED: ${fault}.\n`);
process.exit(faults.length === 0 ? 0 : 1);
