import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { markdownTable, print } from "../../bench/platform.ts";
import { readToolOptions } from "../../scripts/tool-options.ts";
import { silentLog } from "../../src/base/log.ts";
import { openDatabase } from "../../src/db/database.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { migrate } from "../../src/db/migrate.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { temporaryFolder } from "../harness/postgres.ts";
import CELLS from "./cells.ts";
import { type Played, play } from "./play.ts";

/**
 * Lets everything go wrong that docs/reliability.md names, one after the other, in real processes on a real, durable
 * database, and writes the table there.
 */
const USAGE = `./parley chaos [--seed N] [--only words]
  lets everything go wrong that docs/reliability.md names, in about five minutes, and writes the table there;
  exits with 0 when every promise held, 1 when one was broken
  --only          what has these words in its name; the page is left as it is`;

const { values } = readToolOptions(USAGE, {
  seed: { type: "string" },
  only: { type: "string", default: "" },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const cells = CELLS.filter(({ name }) => name.includes(values.only));
const fail = (message: string): never => {
  process.stderr.write(`parley chaos: ${message}\n`);
  process.exit(2);
};
if (!Number.isSafeInteger(seed)) fail("--seed takes a whole number.");
if (cells.length === 0) fail(`nothing that goes wrong has "${values.only}" in its name.`);

const folder = mkdtempSync(path.join(temporaryFolder(), "parley-chaos-"));
const dataDir = path.join(folder, "postgres");
const server = await startEmbeddedPostgres({ dataDir, log: silentLog });
const at = (database: string) => ({ ...server.connection, host: dataDir, database });
const played: Played[] = [];
try {
  await admin("create database chaos_template");
  await migrate(at("chaos_template"));
  const { pool } = openDatabase(at("chaos_template"));
  await migrateJobs(pool, silentLog).finally(() => pool.end());
  for (const cell of cells) {
    const index = CELLS.indexOf(cell);
    await admin(`create database chaos_${index} template chaos_template`);
    const killPostgres = () => process.kill(server.pid() as number, "SIGKILL");
    const size = { seed: seed + index, batches: 15, each: 5 };
    const result = await play(at(`chaos_${index}`), cell, size, { killPostgres });
    played.push(result);
    print(`${result.broken.length === 0 ? "held  " : "BROKEN"}  ${result.name}  ${result.broken.join("; ")}`);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
const broken = played.filter((each) => each.broken.length > 0);
const seconds = (ms: number | null): string => (ms === null ? "–" : (ms / 1000).toFixed(1));
const table = markdownTable(
  [
    "what goes wrong",
    "promises",
    "next attempt after, s",
    "what was left is settled after, s",
    "attempts",
    "calls",
  ],
  played.map(({ name, broken, next_ms, clear_ms, attempts, calls }) => [
    name,
    broken.length === 0 ? "all held" : broken.join("; "),
    seconds(next_ms),
    seconds(clear_ms),
    attempts,
    calls,
  ]),
);
print(`\nSeed ${seed}.\n\n${table}`);
if (values.only === "") writeTable(table);
process.exitCode = broken.length > 0 ? 1 : 0;

async function admin(statement: string): Promise<void> {
  const client = new pg.Client(at("postgres"));
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Between the two marks in docs/reliability.md. */
function writeTable(text: string): void {
  const file = path.join(import.meta.dirname, "../../docs/reliability.md");
  const [before, rest] = readFileSync(file, "utf8").split("<!-- chaos -->\n") as [string, string];
  const [, after] = rest.split("<!-- /chaos -->") as [string, string];
  writeFileSync(file, `${before}<!-- chaos -->\n${text}\n<!-- /chaos -->${after}`);
}
