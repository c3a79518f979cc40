import { readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../src/db/postgres-process.ts";
import {
  childrenOf,
  newDataDir,
  parentOf,
  processesIn,
  query,
  siblings,
  start,
  startProgram,
  until,
} from "./programs.ts";

/** For the tests that any database will do: a first start makes 1,000 files. */
const usedDataDir = newDataDir();

describe("the first start", () => {
  test("makes a database that keeps what later starts find, reachable by its owner only", async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    expect(
      await query(
        first,
        `select current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
           current_setting('fsync') as fsync, current_setting('listen_addresses') as listen_addresses,
           current_setting('timezone') as timezone, current_database() as database`,
      ),
    ).toEqual([
      {
        encoding: "UTF8",
        checksums: "on",
        fsync: "on",
        listen_addresses: "",
        timezone: "UTC",
        database: "parley",
      },
    ]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    await query(first, "create table kept as select 'still here' as text");
    await first.stop();

    expect(await query(await start(dataDir), "select text from kept")).toEqual([{ text: "still here" }]);
  });

  test("has places for all connections that its program may open, and for a backup beside it", async () => {
    const places = async (connections?: number) => {
      const server = await start(usedDataDir, {}, connections);
      const [row] = await query<{ max_connections: string }>(server, "show max_connections");
      await server.stop();
      return Number(row?.max_connections);
    };
    expect(await places()).toBe(100);
    expect(await places(500)).toBeGreaterThan(510);
  });

  test("killed at any moment leaves nothing that hinders the next", async () => {
    const dataDir = newDataDir();
    for (const delay_ms of [0, 100, 250, 400]) {
      const program = startProgram(dataDir);
      await until(() => siblings(dataDir).some((name) => name.startsWith("postgres.new-")));
      await sleep(delay_ms);
      await program.kill();
    }
    await start(dataDir);
    expect(siblings(dataDir)).toEqual(["postgres", "postgres.log"]);
  });

  test("of two programs at once is won by exactly one, and the other is told", async () => {
    const dataDir = newDataDir();
    const both = [startProgram(dataDir), startProgram(dataDir)];
    const winner = await Promise.race(
      both.map((each, i) =>
        each.ready().then(
          () => i,
          () => 1 - i,
        ),
      ),
    );
    const loser = await both[1 - winner]!.ended;
    expect(loser).toEqual({
      code: 1,
      complaint: expect.stringContaining("Another Parley is already running"),
    });
    expect(await both[winner]!.ready()).toBeGreaterThan(0);
    expect(both[winner]!.child.exitCode).toBeNull();
  });
});

describe("a program that is killed", () => {
  test("in a write loop loses no acknowledged row", async () => {
    const dataDir = usedDataDir;
    const acknowledged: number[] = [];
    for (let round = 0; round < 3; round++) {
      const program = startProgram(dataDir, "write");
      await until(() => program.acknowledged().length > 500);
      await program.kill();
      acknowledged.push(...program.acknowledged());
    }
    const rows = await query<{ id: string }>(await start(dataDir), "select id from written");
    const found = new Set(rows.map(({ id }) => Number(id)));
    expect(acknowledged.length).toBeGreaterThan(1_500);
    expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
  });

  test("leaves no server behind for longer than twenty seconds", async () => {
    const dataDir = usedDataDir;
    const program = startProgram(dataDir);
    await program.ready();
    expect(processesIn(dataDir)).not.toEqual([]);
    await program.kill();
    await until(() => processesIn(dataDir).length === 0, 20_000);
  });

  test("together with the guard of its server leaves an orphan that the next start replaces", async () => {
    const dataDir = usedDataDir;
    const program = startProgram(dataDir);
    const orphan = await program.ready();
    const guard = parentOf(orphan);
    const watchers = childrenOf(guard).filter((pid) => pid !== orphan);
    // A program that still runs when its guard dies starts another server in the place of this one.
    await program.halt();
    for (const pid of [guard, ...watchers]) process.kill(pid, "SIGKILL");
    await program.kill();
    // It has heard of its guard's end once it is somebody else's child.
    await until(() => parentOf(orphan) !== guard);
    expect(isAlive(orphan)).toBe(true);

    const database = await start(dataDir);
    expect(isAlive(orphan)).toBe(false);
    expect(database.pid()).not.toBe(orphan);
    expect(parentOf(database.pid()!)).not.toBe(1);
  });
});

test("a stopped database leaves no process", async () => {
  const dataDir = usedDataDir;
  const database = await start(dataDir);
  expect(processesIn(dataDir)).not.toEqual([]);
  await database.stop();
  expect(processesIn(dataDir)).toEqual([]);
});

test("a database that is gone holds up no stop, even if one of its processes hangs and keeps its connection", async () => {
  const dataDir = usedDataDir;
  const database = await start(dataDir, { fsync: "off" });
  const [lock] = await query<{ pid: number }>(
    database,
    "select pid from pg_locks where locktype = 'advisory' and granted",
  );
  process.kill(lock!.pid, "SIGSTOP");
  const stopped = database.stop();
  process.kill(database.pid()!, "SIGKILL");
  await stopped;
  process.kill(lock!.pid, "SIGKILL");
  await expect.poll(() => processesIn(dataDir)).toEqual([]);
});

test("a second program on one data directory is told who runs there, and disturbs nobody", async () => {
  const dataDir = usedDataDir;
  const database = await start(dataDir);
  const server = database.pid();
  const second = await startProgram(dataDir).ended;
  expect(second).toEqual({
    code: 1,
    complaint: `Another Parley is already running on ${dataDir} (pid ${process.pid}). Stop it, or set DATA_DIR to another folder.\n`,
  });
  expect(await query(database, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(database.pid()).toBe(server);
});

describe("a server that dies under a living program", () => {
  test("is started again with its data, under the same address", async () => {
    const dataDir = usedDataDir;
    const database = await start(dataDir);
    await query(database, "create table restarted as select 1 as one");
    const before = database.pid()!;
    process.kill(before, "SIGKILL");
    await until(() => database.pid() !== before);
    expect(await query(database, "select one from restarted")).toEqual([{ one: 1 }]);
  });

  test("is replaced too when only the guard that ties it to the program was killed", async () => {
    const dataDir = usedDataDir;
    const database = await start(dataDir, { fsync: "off" });
    const before = database.pid()!;
    process.kill(parentOf(before), "SIGKILL");
    await until(() => database.pid() !== before);
    expect(isAlive(before)).toBe(false);
    expect(await query(database, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("does not come back when the program stops at that moment", async () => {
    const dataDir = usedDataDir;
    const database = await start(dataDir, { fsync: "off" });
    const killed = processesIn(dataDir);
    process.kill(database.pid()!, "SIGKILL");
    await sleep(20);
    await database.stop();
    // Those that the killed server had begun go by themselves, a moment after it.
    expect(processesIn(dataDir).filter((pid) => !killed.includes(pid))).toEqual([]);
    await expect.poll(() => processesIn(dataDir)).toEqual([]);
  });

  test("is given up with a sentence when it cannot run", async () => {
    const dataDir = newDataDir();
    const database = await start(dataDir, { fsync: "off" });
    rmSync(path.join(dataDir, "global/pg_control"));
    process.kill(database.pid()!, "SIGKILL");
    expect((await database.failed).message).toMatch(/^The database was lost 5 times within a minute/);
  });

  test("keeps its program the owner when only a backend crashed", async () => {
    const dataDir = usedDataDir;
    const database = await start(dataDir);
    const server = database.pid();
    const logged = readFileSync(`${dataDir}.log`).length;
    const client = new pg.Client(database.connection);
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    process.kill(rows[0]!.pid, "SIGKILL");
    await until(() => readFileSync(`${dataDir}.log`).subarray(logged).includes("ready to accept"));
    const second = await startProgram(dataDir).ended;
    expect(second.complaint).toContain("Another Parley is already running");
    expect(database.pid()).toBe(server);
  });
});
