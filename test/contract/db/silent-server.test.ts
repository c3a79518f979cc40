import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { beforeAll, expect, test, vi } from "vitest";
import { type Database, openDatabase } from "../../../src/db/database.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { WAITING } from "../../harness/waiting.ts";

/** A door to the server over TCP, where its own is a socket of this machine. */
const passed = new Set<number>();
const door = createServer((near: Socket) => {
  const far = connect(place);
  passed.add(near.remotePort as number);
  near.pipe(far).pipe(near);
  for (const socket of [near, far]) socket.on("error", () => {});
});

let place: { path: string } | { host: string; port: number };
let database: Database;
beforeAll(async () => {
  const { config, drop } = await createTestDatabase();
  const { host = "localhost", port = 5432 } = config;
  place = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const { promise, resolve } = Promise.withResolvers<void>();
  door.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port: own } = door.address() as { port: number };
  database = openDatabase({ ...config, host: "127.0.0.1", port: own });
  return async () => {
    await database.close();
    door.close();
    await drop();
  };
});

/** When Linux looks whether the other side of a connection of ours is still there: in hundredths of a second; by its own port. */
const looks = (): Map<number, number> =>
  new Map(
    readFileSync("/proc/self/net/tcp", "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, own, , , , timer = ""] = line.trim().split(/\s+/);
        const [kind, left = ""] = timer.split(":");
        return kind === KEEPALIVE
          ? [[Number.parseInt(own?.split(":")[1] ?? "", 16), Number.parseInt(left, 16)]]
          : [];
      }),
  );
const KEEPALIVE = "02";

test.runIf(process.platform === "linux")(
  "a server that went away without a word is asked after half a minute, by all that wait for it or listen to it",
  async () => {
    await database.pool.query("select 1");
    await database.reading.query("select 1");
    await new Promise<void>((resolve) => database.notices.listen("silence", { heard() {}, missed: resolve }));
    expect(passed.size).toBe(3);
    await vi.waitFor(() => {
      const asked = looks();
      for (const port of passed) expect(asked.get(port)).toBeLessThanOrEqual(30 * 100);
    }, WAITING);
  },
);
