import { connect, createServer, type Socket } from "node:net";
import type pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../src/db/database.ts";
import { breakLost, type WatchedClient } from "../../../src/db/lost-backends.ts";
import type { PatientPool } from "../../../src/db/patient-pool.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { WAITING, waitForLocks } from "../../harness/waiting.ts";

/** A door to the server, behind which it can vanish: who is connected hears nothing any more, and others find a new one. */
const connected: { near: Socket; far: Socket }[] = [];
const vanish = (with_processes: boolean) => {
  for (const { near, far } of connected.splice(0)) {
    near.unpipe(far);
    far.unpipe(near);
    near.resume();
    if (with_processes) far.destroy();
    else near.on("close", () => far.destroy());
  }
};
const door = createServer((near: Socket) => {
  const far = connect(place);
  for (const socket of [near, far]) socket.on("error", () => {});
  near.pipe(far).pipe(near);
  connected.push({ near, far });
});

let place: { path: string } | { host: string; port: number };
let through: pg.PoolConfig;
beforeAll(async () => {
  const { config, drop } = await createTestDatabase();
  const { host = "localhost", port = 5432 } = config;
  place = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const { promise, resolve } = Promise.withResolvers<void>();
  door.listen(0, "127.0.0.1", resolve);
  await promise;
  through = { ...config, host: "127.0.0.1", port: (door.address() as { port: number }).port };
  return async () => {
    door.close();
    await drop();
  };
});

test.each([
  ["a server that vanished", true],
  ["a server that the network hides", false],
])(
  "statements that wait for %s fail once one answers, and those that it works on go on",
  async (_what, with_processes) => {
    const { pool, close } = openDatabase(through);
    const look = (silent_ms: number) =>
      breakLost(through, (pool as PatientPool).clients as Set<WatchedClient>, silent_ms);
    await pool.query("select 1");
    vanish(with_processes);
    const lost = pool.query("select 1").then(String, String);
    const holder = await pool.connect();
    await holder.query("select pg_advisory_lock(1)");
    const working = pool.query("select pg_advisory_lock(1)");
    await waitForLocks(pool, 1);

    const answer = () => Promise.race([lost, "waits"]);
    // What was asked a moment ago may be answered yet.
    expect(await look(3_600_000)).toBe(0);
    expect(await answer()).toBe("waits");
    // The old server's process may still be on its way out.
    await expect.poll(() => look(0).then(answer), WAITING).toMatch("Connection terminated");
    expect(await look(0)).toBe(0);
    await holder.query("select pg_advisory_unlock(1)");
    await working;
    holder.release();
    await close();
  },
);
