import pg from "pg";
import { Fault } from "../base/errors.ts";
import type { Connection } from "../db/database.ts";

const MIN_POSTGRES = 15;
const CONNECT_MS = 10_000;

/** What DATABASE_URL leads to, or a Fault that says why nothing can be done there. */
export async function askPostgres(connection: Connection): Promise<{ version: string; now: Date }> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(
      "select current_setting('server_version') as version, now() as now",
    );
    const [answer] = rows as [{ version: string; now: Date }];
    return answer;
  } catch (error) {
    throw connectionFault(error);
  } finally {
    await client.end().catch(() => {});
  }
}

export const tooOld = (version: string): string | null =>
  Number.parseInt(version, 10) < MIN_POSTGRES
    ? `DATABASE_URL names PostgreSQL ${version}; Parley needs ${MIN_POSTGRES} or newer.`
    : null;

export async function refuseOldPostgres(connection: Connection): Promise<void> {
  const { version } = await askPostgres(connection);
  const complaint = tooOld(version);
  if (complaint) throw new Fault("unavailable", complaint);
}

/** What PostgreSQL or the way to it says, as a sentence; other errors stay what they are. */
export function connectionFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  const { code, message } = error as { code?: string; message?: string };
  const fault = (sentence: string) => new Fault("unavailable", sentence, { cause: error });
  const refused = error instanceof pg.DatabaseError || (error as Error).cause instanceof pg.DatabaseError;
  if (refused) {
    const { code, message } = (
      error instanceof pg.DatabaseError ? error : (error as Error).cause
    ) as pg.DatabaseError;
    if (code === "42501") {
      return fault(
        `The user of DATABASE_URL may not make tables (${message}). Let it own the database: alter database … owner to ….`,
      );
    }
    // Classes of PostgreSQL: 28 who signs in, 3D no such database, 53 too many connections, 57 starting or stopping.
    return /^(28|3D|53|57)/.test(code ?? "")
      ? fault(`The database of DATABASE_URL can't be opened: ${message}.`)
      : error;
  }
  // Several addresses of one host that all failed come as one error without words.
  const why = message || code || "no answer";
  return code || /timeout|terminated|SSL|SASL|password/i.test(why)
    ? fault(`The database of DATABASE_URL does not answer: ${why}. Start it, or correct DATABASE_URL.`)
    : error;
}
