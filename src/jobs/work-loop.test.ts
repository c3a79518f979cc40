import fc from "fast-check";
import { expect, test } from "vitest";
import "../../test/harness/seed.ts";
import { createLog, silentLog } from "../base/log.ts";
import { createWorkLoop, type Work, type WorkLoop } from "./work-loop.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const untilChange = { wait_ms: null };

/** What is due, claimed from the front, with so many places. */
function worked(due: number[], places: number, more: Partial<Work<number>> = {}) {
  const begun: number[] = [];
  const ended: number[] = [];
  let most = 0;
  const loop: WorkLoop = createWorkLoop<number>({
    of: "numbers",
    log: silentLog,
    room: () => places - loop.underWay(),
    full: untilChange,
    async claim(room, begin) {
      await turn();
      const claimed = due.splice(0, room);
      for (const item of claimed) begin(item);
      return claimed.length > 0 ? { wait_ms: 0 } : untilChange;
    },
    async run(item) {
      begun.push(item);
      most = Math.max(most, begun.length - ended.length);
      for (let n = 0; n < item % 4; n++) await turn();
      ended.push(item);
    },
    ...more,
  });
  return { loop, begun, ended, most: () => most };
}

test("all that is due is run once, never more at a time than there are places, until nothing is left", async () => {
  const numbers = fc.array(fc.nat({ max: 20 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(numbers, fc.integer({ min: 1, max: 6 }), async (due, places) => {
      const { loop, begun, ended, most } = worked([...due], places);
      await loop.untilDone(new AbortController().signal);
      expect(begun).toEqual(due);
      expect(ended.toSorted()).toEqual(due.toSorted());
      expect(most()).toBeLessThanOrEqual(places);
    }),
  );
});

test("what comes while it claims is looked for before it ends", async () => {
  const due: number[] = [];
  let claims = 0;
  const { loop, begun } = worked(due, 1, {
    async claim(room, begin) {
      for (const item of due.splice(0, room)) begin(item);
      if (++claims === 1) {
        due.push(7);
        loop.wake();
      }
      return untilChange;
    },
  });
  await loop.untilDone(new AbortController().signal);
  expect(begun).toEqual([7]);
  expect(loop.isWoken()).toBe(false);
});

test("what only the end of another makes claimable is claimed, also when that ends during a claim that finds nothing", async () => {
  const due = [1, 2];
  let isHeld = false;
  const first = Promise.withResolvers<void>();
  const { loop, begun } = worked([], 10, {
    async claim(_, begin) {
      const item = isHeld ? undefined : due.shift();
      if (item !== undefined) {
        isHeld = true;
        begin(item);
        return { wait_ms: 0 };
      }
      // It looked before the other ended, and says so after.
      first.resolve();
      await turn();
      return untilChange;
    },
    async run(item) {
      begun.push(item);
      await first.promise;
      isHeld = false;
    },
  });
  await loop.untilDone(new AbortController().signal);
  expect(begun).toEqual([1, 2]);
});

test("one that fails ends nothing, and neither does a claim that fails while the loop is to go on", async () => {
  let claims = 0;
  const all = Promise.withResolvers<void>();
  const ran: number[] = [];
  const { loop } = worked([], 10, {
    async claim(_, begin) {
      claims++;
      if (claims === 1) throw new Error("the database is away");
      if (claims > 2) return untilChange;
      begin(1);
      begin(2);
      return { wait_ms: 0 };
    },
    async run(item) {
      ran.push(item);
      if (item === 1) throw new Error("one of them");
      all.resolve();
    },
  });
  loop.start(1);
  await all.promise;
  await loop.stop();
  expect(ran).toEqual([1, 2]);
  expect(loop.underWay()).toBe(0);
});

test("a claim that fails ends work that was to end by itself", async () => {
  const { loop } = worked([], 1, { claim: () => Promise.reject(new Error("the database is away")) });
  await expect(loop.untilDone(new AbortController().signal)).rejects.toThrow("away");
});

test("after a stop nothing is claimed, and what was begun can be waited for", async () => {
  const due = Array.from({ length: 100 }, () => 3);
  const { loop, begun, ended } = worked(due, 5);
  loop.start(1);
  while (begun.length < 5) await turn();
  await loop.stop();
  const atStop = begun.length;
  await loop.idle();
  await turn();
  expect(begun.length).toBe(atStop);
  expect(ended.length).toBe(atStop);
  expect(due.length).toBe(100 - atStop);
});

test("claims that keep failing with the same words are logged once, and so is the first that succeeds again", async () => {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    destination: { write: (line: string) => lines.push(JSON.parse(line).msg) } as never,
  });
  const words = ["away", "away", "away", "starting", "starting", null];
  const done = Promise.withResolvers<void>();
  let claims = 0;
  const { loop } = worked([], 1, {
    log,
    async claim() {
      claims++;
      const fault = words.shift();
      if (words.length === 0) done.resolve();
      if (fault) throw new Error(fault);
      return untilChange;
    },
  });
  loop.start(1);
  await done.promise;
  loop.wake();
  while (claims < 7) await turn();
  const stopped = loop.stop();
  loop.wake();
  await stopped;
  expect(lines).toEqual(["could not claim work", "could not claim work", "work is claimed again"]);
});
