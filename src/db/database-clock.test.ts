import { Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { movedClock } from "../base/clock.ts";
import { createLog } from "../base/log.ts";
import { databaseClock } from "./database-clock.ts";

const NOON = "2026-11-18T12:00:00.000Z";
const at = (off_ms: number) => new Date(new Date(NOON).getTime() + off_ms);

/** Two machines that ask one database; what they log. */
async function machines(...off: number[]) {
  const database = movedClock(NOON);
  const logged: string[] = [];
  const destination = new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)).msg);
      done();
    },
  });
  const log = createLog({ level: "info", destination });
  const clocks = await Promise.all(
    off.map(async (off_ms) => {
      const machine = movedClock(at(off_ms));
      const clock = await databaseClock({ ask: async () => database.now(), log, machine });
      onTestFinished(clock.stop);
      return { machine, clock };
    }),
  );
  return { database, clocks, logged };
}

/** Half of the way of an answer counts as time that has passed. */
const NEAR_MS = 5_000;
const expectNear = (found: Date, wanted: Date) =>
  expect(Math.abs(found.getTime() - wanted.getTime())).toBeLessThan(NEAR_MS);

test("machines whose clocks differ by hours read the same time: the database's", async () => {
  const { clocks, database, logged } = await machines(3_600_000, -7_200_000);
  for (const { clock } of clocks) expectNear(clock.now(), database.now());
  expect(logged).toHaveLength(2);
});

test("a clock that is set while the program runs counts until the database is asked again", async () => {
  const { clocks, database, logged } = await machines(0);
  const [{ clock, machine }] = clocks as [(typeof clocks)[number]];
  machine.advance(3_600_000);
  await clock.look();
  expectNear(clock.now(), database.now());
  machine.set(NOON);
  await clock.look();
  expect(clock.now()).toEqual(new Date(NOON));
  expect(logged).toEqual([
    "this machine's clock differs from the database's, which counts. Run NTP on both",
    "this machine's clock agrees with the database's again",
  ]);
});

test("a few milliseconds, or what an answer's way may take, change nothing", async () => {
  const { clocks, logged } = await machines(40);
  expect(clocks[0]?.clock.now()).toEqual(at(40));
  expect(logged).toEqual([]);
});

test("who waits for a moment is woken at the database's", async () => {
  const { clocks } = await machines(3_600_000);
  const [{ clock, machine }] = clocks as [(typeof clocks)[number]];
  let woken: Date | null = null;
  clock.wakeAt(at(60_000), () => {
    woken = clock.now();
  });
  machine.advance(50_000);
  expect(woken).toBe(null);
  machine.advance(15_000);
  expect(woken).not.toBe(null);
});

test("a database that is away leaves the clock as it was", async () => {
  let answers = true;
  const machine = movedClock(at(600_000));
  const ask = async () => {
    if (!answers) throw new Error("gone");
    return new Date(NOON);
  };
  const clock = await databaseClock({ ask, log: createLog({ level: "silent" }), machine });
  onTestFinished(clock.stop);
  answers = false;
  await expect(clock.look()).rejects.toThrow("gone");
  expectNear(clock.now(), new Date(NOON));
});

test("a database that does not answer is logged once, and once when it answers again", async () => {
  const logged: string[] = [];
  const destination = { write: (line: string) => logged.push(JSON.parse(line).msg) } as never;
  const log = createLog({ level: "info", destination });
  let asked = 0;
  let isThere = true;
  const ask = async () => {
    asked++;
    if (!isThere) throw new Error("connect ECONNREFUSED 10.0.0.7:5432");
    return new Date();
  };
  const clock = await databaseClock({ ask, log, look_ms: 1 });
  onTestFinished(clock.stop);
  const lookedTwice = async () => {
    const before = asked;
    await expect.poll(() => asked).toBeGreaterThan(before + 1);
  };
  isThere = false;
  await lookedTwice();
  isThere = true;
  await lookedTwice();
  expect(logged).toEqual([
    expect.stringMatching(/^the database of DATABASE_URL does not answer: /),
    "the database answers again",
  ]);
});
