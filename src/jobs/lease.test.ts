import { expect, test } from "vitest";
import { movedClock } from "../base/clock.ts";
import { createLog, silentLog } from "../base/log.ts";
import { LeaseLost, Leases } from "./lease.ts";

const LEASE_ms = 8_000;
const RENEW_ms = 2_500;

/** Rows of which others may have taken some; `extended` is what each statement was asked for. */
function leased({ taken = [] as string[], fails = (): boolean => false, during = () => {} } = {}) {
  const clock = movedClock("2026-11-18T12:00:00.000Z");
  const extended: { items: string[]; end: string }[] = [];
  const leases = new Leases<string>(
    {
      of: "rows",
      lease_ms: LEASE_ms,
      renew_ms: RENEW_ms,
      async extend(items, end) {
        extended.push({ items, end: end.toISOString() });
        during();
        if (fails()) throw new Error("the database is away");
        return items.filter((item) => !taken.includes(item));
      },
    },
    { clock, log: silentLog },
  );
  return { leases, clock, extended };
}

test("only what is due is extended, in one statement, to a whole lease from now", async () => {
  const { leases, clock, extended } = leased();
  leases.hold("a");
  leases.hold("b");
  clock.advance(RENEW_ms);
  leases.hold("c");
  await leases.renew();
  await leases.renew();
  const end = "2026-11-18T12:00:10.500Z";
  expect(extended).toEqual([{ items: ["a", "b"], end }]);
});

test("what somebody else took is lost and never said to be ours again; the rest stays held", async () => {
  const taken: string[] = [];
  const { leases, clock, extended } = leased({ taken });
  const a = leases.hold("a");
  const b = leases.hold("b");
  taken.push("a");
  clock.advance(RENEW_ms);
  await leases.renew();
  expect(a.reason).toBeInstanceOf(LeaseLost);
  expect(b.aborted).toBe(false);
  expect([leases.holds("a"), leases.holds("b")]).toEqual([false, true]);

  taken.length = 0;
  clock.advance(RENEW_ms);
  await leases.renew();
  expect(await leases.stillHolds("a")).toBe(false);
  expect(extended.at(-1)?.items).toEqual(["b"]);
});

test("a process that stood still does not count on a lease, by whichever clock it stood still", () => {
  const { leases, clock } = leased();
  leases.hold("a");
  const long_ago = { ...leases.moment(), running_ms: performance.now() - LEASE_ms };
  leases.hold("b", long_ago);
  expect([leases.holds("a"), leases.holds("b")]).toEqual([true, false]);
  clock.advance(LEASE_ms);
  expect(leases.holds("a")).toBe(false);
});

test("a lease is held again once it was said so, and never when that can't be said", async () => {
  let isAway = false;
  const { leases, clock } = leased({ fails: () => isAway });
  leases.hold("a");
  clock.advance(LEASE_ms);
  expect(await leases.stillHolds("a")).toBe(true);
  isAway = true;
  clock.advance(LEASE_ms);
  await expect(leases.stillHolds("a")).rejects.toThrow("away");
  expect(leases.holds("a")).toBe(false);
});

test("a round that fails loses nothing, and the next one extends all", async () => {
  let isAway = true;
  const { leases, clock, extended } = leased({ fails: () => isAway });
  const lost = leases.hold("a");
  clock.advance(RENEW_ms);
  await expect(leases.renew()).rejects.toThrow("away");
  isAway = false;
  await leases.renew();
  expect(lost.aborted).toBe(false);
  expect(extended.map(({ items }) => items)).toEqual([["a"], ["a"]]);
});

test("rounds that fail one after the other are one line of the log, and so are those of the next outage", async () => {
  const lines: string[] = [];
  const rounds = ["away", "away", "there", "away", "away"];
  const done = Promise.withResolvers<void>();
  const leases = new Leases<string>(
    {
      of: "rows",
      lease_ms: LEASE_ms,
      renew_ms: 4,
      async extend(items) {
        const round = rounds.shift();
        if (round === undefined) done.resolve();
        if (round === "away") throw new Error("the database is away");
        return items;
      },
    },
    {
      clock: movedClock("2026-11-18T12:00:00.000Z"),
      log: createLog({
        level: "warn",
        destination: { write: (line: string) => lines.push(JSON.parse(line).msg) } as never,
      }),
    },
  );
  leases.hold("a");
  await done.promise;
  leases.stop();
  expect(lines).toEqual(["leases could not be renewed", "leases could not be renewed"]);
});

test("a statement that is never answered holds up no later one", async () => {
  const { clock } = leased();
  const again = Promise.withResolvers<string[]>();
  let rounds = 0;
  const extend = (items: string[]): Promise<string[]> => {
    if (++rounds > 1) again.resolve(items);
    return new Promise(() => {});
  };
  const rows = { of: "rows", lease_ms: 80, renew_ms: 20, extend };
  const leases = new Leases<string>(rows, { clock, log: silentLog });
  leases.hold("a");
  expect(await again.promise).toEqual(["a"]);
  leases.drop("a");
});

test("what is still held goes on being extended by itself when something else ends", async () => {
  const { clock } = leased();
  const extended: string[] = [];
  const extend = async (items: string[]): Promise<string[]> => {
    extended.push(...items);
    return items;
  };
  const rows = { of: "rows", lease_ms: 80, renew_ms: 20, extend };
  const leases = new Leases<string>(rows, { clock, log: silentLog });
  leases.hold("a");
  leases.hold("b");
  leases.drop("b");
  await expect.poll(() => extended).toContain("a");
  leases.drop("a");
  expect(extended).not.toContain("b");
});

test("what ended while it was extended, or was given up, is not taken for lost", async () => {
  let during = () => {};
  const { leases, clock, extended } = leased({ taken: ["a", "b"], during: () => during() });
  const a = leases.hold("a");
  const b = leases.hold("b");
  during = () => {
    leases.drop("a");
    leases.hold("a");
    expect(leases.giveUp()).toEqual(["b", "a"]);
  };
  clock.advance(RENEW_ms);
  await leases.renew();
  expect([a.aborted, b.aborted]).toEqual([false, false]);

  const reason = new Error("the program stops");
  leases.cutOff(reason);
  expect(b.reason).toBe(reason);
  await leases.renew();
  expect(extended).toHaveLength(1);
});
