/**
 * The smallest program with an embedded database, for tests to kill: prints `ready <pid of the server>`, and with
 * "write" then inserts rows for ever, printing each id once PostgreSQL has acknowledged it. SIGTERM stops it orderly.
 */
import pg from "pg";
import { silentLog } from "../../src/base/log.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";

const [dataDir = "", mode] = process.argv.slice(2);
const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  const database = await startEmbeddedPostgres({ dataDir, log: silentLog });
  process.once("SIGTERM", () => database.stop().then(() => process.exit(0)));
  print(`ready ${database.pid()}`);
  if (mode === "write") {
    const client = new pg.Client(database.connection);
    await client.connect();
    await client.query("create table if not exists written (id bigint generated always as identity)");
    for (;;) {
      const { rows } = await client.query<{ id: string }>("insert into written default values returning id");
      print(`${rows[0]?.id}`);
    }
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
