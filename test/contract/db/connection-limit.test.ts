import { connect, createServer, type Socket } from "node:net";
import { Writable } from "node:stream";
import Fastify from "fastify";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { errorSender } from "../../../src/api/errors.ts";
import { createLog } from "../../../src/base/log.ts";
import { CONNECTIONS, type Connection, type Database, openDatabase } from "../../../src/db/database.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { WAITING } from "../../harness/waiting.ts";

/** As PostgreSQL says it: a message E of severity, code and sentence. */
const NO_PLACE = (() => {
  const fields = Buffer.from("SFATAL\0C53300\0Msorry, too many clients already\0\0");
  const head = Buffer.from("E\0\0\0\0");
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** A door to the server that has places for so many, like a server at its max_connections. */
let places = 0;
let taken = 0;
let refused = 0;
const door = createServer((near: Socket) => {
  near.on("error", () => {});
  if (taken >= places) {
    refused++;
    near.once("data", () => near.end(NO_PLACE));
    return;
  }
  taken++;
  const far = connect(place);
  far.on("error", () => {}).on("close", () => near.destroy());
  near.pipe(far).pipe(near);
  near.on("close", () => {
    taken--;
    far.destroy();
  });
});

let place: { path: string } | { host: string; port: number };
let open: (timeout_ms?: number, more?: Connection) => Database;
beforeAll(async () => {
  const { config, drop } = await createTestDatabase();
  const { host = "localhost", port = 5432 } = config;
  place = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const { promise, resolve } = Promise.withResolvers<void>();
  door.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port: own } = door.address() as { port: number };
  open = (connectionTimeoutMillis = 30_000, more = {}) =>
    openDatabase({ ...config, host: "127.0.0.1", port: own, connectionTimeoutMillis, ...more }, CONNECTIONS);
  return async () => {
    door.close();
    await drop();
  };
});

beforeEach(() => {
  refused = 0;
});

test("where the database has no place for another connection, all that is asked waits for those that are open", async () => {
  places = 3;
  const { pool, close } = open();
  const asked = Array.from({ length: 50 }, (_, n) => pool.query("select $1::int as n", [n]));
  const answers = await Promise.all(asked);
  expect(answers.map(({ rows }) => rows[0].n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  // Those that asked before the first refusal came, and one for each such; none of the others asked the server.
  expect(refused).toBeLessThan(2 * CONNECTIONS.writing);
  await close();
});

test("and once it has places again, they are used", async () => {
  places = 2;
  const { pool, close } = open();
  const held = await Promise.all([pool.connect(), pool.connect()]);
  const third = pool.connect();
  await expect.poll(() => refused, WAITING).toBeGreaterThan(0);
  places = 3;
  held.push(await third);
  expect(pool.totalCount).toBe(3);
  for (const client of held) client.release();
  await close();
});

test("a database that has no place at all is waited for", async () => {
  places = 0;
  const { pool, close } = open();
  const answer = pool.query("select 1 as one");
  await expect.poll(() => refused, WAITING).toBeGreaterThan(0);
  places = 1;
  expect((await answer).rows).toEqual([{ one: 1 }]);
  await close();
});

test("lists are read where others took every place while nobody read", async () => {
  places = 3;
  const { pool, reading, close } = open(2_000, { idleTimeoutMillis: 1 });
  await Promise.all([reading.query("select 1"), reading.query("select 1")]);
  // Long enough for idle connections to be closed.
  await pool.query("select pg_sleep(0.2)");
  expect(reading.totalCount).toBe(1);
  places = 0;
  const asked = Array.from({ length: 20 }, (_, n) => reading.query("select $1::int as n", [n]));
  const answers = await Promise.all(asked);
  expect(answers.map(({ rows }) => rows[0].n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  await close();
});

test("nobody waits longer than for any connection", async () => {
  places = 0;
  const { pool, close } = open(100);
  await expect(pool.query("select 1")).rejects.toThrow(
    /^sorry, too many clients already|connection timeout$/,
  );
  await close();
});

test("a request that finds no place is not told that the database does not answer, and the log says what to set", async () => {
  places = 0;
  const { pool, close } = open(2_000);
  const logged: string[] = [];
  const destination = new Writable({
    write(line, _, done) {
      logged.push(String(line));
      done();
    },
  });
  const server = Fastify();
  server.setErrorHandler(errorSender(createLog({ level: "info", destination })));
  server.get("/", () => pool.query("select 1"));
  const answers = await Promise.all([server.inject("/"), server.inject("/")]);
  for (const { statusCode, body } of answers) {
    expect(statusCode).toBe(503);
    expect(JSON.parse(body).detail).toMatch(/^The database has no connection left for this/);
  }
  expect(logged).toEqual([expect.stringContaining("allow more, or lower DATABASE_CONNECTIONS")]);
  await server.close();
  await close();
});
