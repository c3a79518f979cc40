import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import path from "node:path";
import { bootstrap } from "../src/accounts/bootstrap.ts";
import type { Caller } from "../src/api/caller.ts";
import type { App, AppParts } from "../src/app/parts.ts";
import { createApp } from "../src/app.ts";
import { systemClock } from "../src/base/clock.ts";
import { createVault } from "../src/base/crypto.ts";
import { silentLog } from "../src/base/log.ts";
import { readConfig } from "../src/config.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { seedDemo } from "../src/demo/seed.ts";
import { createEgress } from "../src/egress/egress.ts";
import { migrateJobs } from "../src/jobs/runner.ts";
import type { ProviderSettings } from "../src/llm/providers.ts";

/** The program as it is shipped, durable embedded database and all, for a benchmark to load. */
type BenchPlatform = App & {
  database: Database;
  caller: Caller;
  token: string;
  url: string;
  stop(): Promise<void>;
};

export async function startPlatform(
  more: Pick<AppParts, "consoleBuild" | "voiceEngines"> & { llmProviders?: ProviderSettings } = {},
  env: Record<string, string> = {},
): Promise<BenchPlatform> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, "postgres"), log: silentLog });
  await migrate(postgres.connection);
  const database = openDatabase(postgres.connection);
  await migrateJobs(database.pool, silentLog);
  const { config } = readConfig({ EGRESS_ALLOW: "127.0.0.1", DATA_DIR: folder, ...env });
  const egress = createEgress({ allow: config.egress_allow });
  const vault = createVault("a key that only seals what this benchmark makes");
  const app = await createApp({
    db: database.db,
    notices: database.notices,
    clock: systemClock,
    log: silentLog,
    vault,
    egress,
    config,
    llmProviders: {},
    ...more,
  });
  const first = await bootstrap(
    { db: database.db, clock: systemClock },
    { email: "bench@example.com", token: null },
    seedDemo({ clock: systemClock, vault }),
  );
  if (!first) throw new Error("the benchmark's database was not empty");
  return {
    ...app,
    database,
    caller: first.caller,
    token: first.token,
    url: "",
    async stop() {
      await app.api.server.close();
      await egress.close();
      await database.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const quantile = (values: number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};

export const median = (values: number[]): number => quantile(values, 0.5);

export const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

/** What a table of figures has to say of where it was made. */
export const machine = (): string =>
  `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, embedded PostgreSQL 18, load generator on the same cores`;

export function markdownTable(header: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
