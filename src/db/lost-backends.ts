import pg from "pg";

/*
 * A server can go away without a word, with its machine or its network, while a statement waits to reach it. TCP then sends
 * that again for a quarter of an hour, and its probes of silence (ALIVE in database.ts) don't count meanwhile. After such a
 * failover 11 of 14 connections waited for the old server, while the new one answered. So the server that answers now is asked
 * whether it works on what we wait for.
 */

/** A statement that was not answered for so long may be lost; most are answered in milliseconds. */
const SILENT_MS = 30_000;
const CONNECT_MS = 10_000;

/** A connection that knows how long it has waited for an answer. */
export type WatchedClient = pg.Client & { waitingSince: number | undefined; processID: number };

/** Breaks connections that wait for a server process that is gone or idle: their statements fail. Returns how many. */
export async function breakLost(
  connection: pg.ClientConfig,
  clients: Iterable<WatchedClient>,
  silent_ms = SILENT_MS,
): Promise<number> {
  const before = performance.now() - silent_ms;
  const silent = [...clients].filter(({ waitingSince = Number.POSITIVE_INFINITY }) => waitingSince <= before);
  if (silent.length === 0) return 0;
  const asked = silent.map((client) => ({ client, since: client.waitingSince }));
  const working = await backendsAtWork(
    connection,
    silent.map(({ processID }) => processID),
  );
  const lost = working
    ? asked.filter(({ client, since }) => client.waitingSince === since && !working.has(client.processID))
    : [];
  for (const { client } of lost) streamOf(client).destroy();
  return lost.length;
}

/** Which of these server processes work on something; null where that can't be told. */
async function backendsAtWork(connection: pg.ClientConfig, pids: number[]): Promise<Set<number> | null> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1::int[]) and state not like 'idle%'",
      [[...pids, (client as WatchedClient).processID]],
    );
    const working = new Set(rows.map(({ pid }) => pid));
    // Something in between that makes up process ids would have all of them look lost.
    return working.has((client as WatchedClient).processID) ? working : null;
  } catch {
    return null;
  } finally {
    client.end().catch(() => {});
  }
}

const streamOf = (client: pg.Client): { destroy(): void } =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
