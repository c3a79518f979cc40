import fc from "fast-check";
import { expect, test } from "vitest";
import "../../test/harness/seed.ts";
import { gather } from "./gather.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

const anItem = fc.record({
  key: fc.constantFrom("a", "b", "c"),
  size: fc.integer({ min: 1, max: 7 }),
  bad: fc.boolean(),
  /** Turns of the event loop before the next one is added. */
  pause: fc.integer({ min: 0, max: 3 }),
});

test("nothing is lost or written twice, the order is kept, and each caller gets his own outcome", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anItem, { maxLength: 40 }), async (given) => {
      const items = given.map((item, index) => ({ ...item, index }));
      const written: typeof items = [];
      let writing = 0;
      const gathered = gather<(typeof items)[number], number>({
        most: 10,
        size: (item) => item.size,
        async write(part) {
          expect(++writing).toBe(1);
          await turn();
          writing--;
          const filled = part.reduce((sum, item) => sum + item.size, 0);
          expect(part.length === 1 || filled <= 10).toBe(true);
          const bad = part.find((item) => item.bad);
          if (bad) throw new Error(`item ${bad.index}`);
          written.push(...part);
          return part.map(({ index }) => index);
        },
      });
      const added: Promise<PromiseSettledResult<number>[]>[] = [];
      for (const item of items) {
        added.push(Promise.allSettled([gathered.add(item)]));
        for (let n = 0; n < item.pause; n++) await turn();
      }
      const outcomes = (await Promise.all(added)).flat();
      await gathered.idle();
      for (const [index, outcome] of outcomes.entries()) {
        if (items[index]?.bad) expect(outcome).toMatchObject({ reason: { message: `item ${index}` } });
        else expect(outcome).toEqual({ status: "fulfilled", value: index });
      }
      expect(written).toEqual(items.filter(({ bad }) => !bad));
    }),
  );
});

test("an error that is nobody's own fails all that were written with it, and those after are written", async () => {
  const away = new Error("the database is away");
  const writes: number[][] = [];
  const gathered = gather<number, number>({
    most: 2,
    isolates: (error) => error !== away,
    async write(items) {
      writes.push(items);
      if (writes.length === 1) throw away;
      return items;
    },
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map((item) => gathered.add(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(writes).toEqual([[1, 2], [3]]);
});

test("what is added while the last write ends is written, and idle waits for it", async () => {
  const written: string[] = [];
  const gathered = gather<string, string>({
    most: 1,
    async write(items) {
      written.push(...items);
      return items;
    },
  });
  void gathered.add("first").then(() => gathered.add("second"));
  await gathered.idle();
  await turn();
  await gathered.idle();
  expect(written).toEqual(["first", "second"]);
});
