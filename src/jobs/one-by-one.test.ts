import { expect, test } from "vitest";
import { oneByOne } from "./one-by-one.ts";

test("an item that fails holds up no other one, and the job fails once all were run", async () => {
  const ran: number[] = [];
  const run = async (item: number) => {
    ran.push(item);
    if (item < 3) throw new Error(`no ${item}`);
  };
  await expect(oneByOne([1, 3, 4], run)).rejects.toThrow("no 1");
  await expect(oneByOne([1, 2, 3], run)).rejects.toThrow("2 items failed, the first: no 1");
  await oneByOne([3, 4], run);
  expect(ran).toEqual([1, 3, 4, 1, 2, 3, 3, 4]);
});

test("nothing is begun once the process stops", async () => {
  const stopping = new AbortController();
  const ran: number[] = [];
  await oneByOne(
    [1, 2, 3],
    async (item) => {
      ran.push(item);
      if (item === 2) stopping.abort();
    },
    stopping.signal,
  );
  expect(ran).toEqual([1, 2]);
});
