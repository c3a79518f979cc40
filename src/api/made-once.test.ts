import { expect, test } from "vitest";
import { madeOnce } from "./made-once.ts";

test("what was made is kept, and shared by those who come meanwhile; a failure is not kept", async () => {
  let made = 0;
  const thing = madeOnce(async () => {
    if (++made === 1) throw new Error("too many open files");
    return { made };
  });
  const [first, second] = await Promise.allSettled([thing(), thing()]);
  expect([first.status, second.status, made]).toEqual(["rejected", "rejected", 1]);
  expect(await Promise.all([thing(), thing()])).toEqual([{ made: 2 }, { made: 2 }]);
  expect(await thing()).toBe(await thing());
});
