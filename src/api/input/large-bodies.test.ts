import { expect, test } from "vitest";
import { createLargeBodies } from "./large-bodies.ts";

/** Work that holds up the main loop for so long. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("large bodies are read one at a time, and others get the loop between two of them", async () => {
  const turn = createLargeBodies();
  const order: string[] = [];
  const other = setInterval(() => order.push("other"), 1);
  await Promise.all(
    ["first", "second", "third"].map(async (name) => {
      await turn(1_000_000);
      order.push(name);
      work(10);
    }),
  );
  clearInterval(other);
  const at = (name: string) => order.indexOf(name);
  expect(at("first")).toBeLessThan(at("second"));
  expect(order.slice(at("first") + 1, at("second"))).toContain("other");
  expect(order.slice(at("second") + 1, at("third"))).toContain("other");
});

test("a small body waits for no large one", async () => {
  const turn = createLargeBodies();
  const order: string[] = [];
  const large = [1, 2, 3].map(() => turn(1_000_000).then(() => order.push("large")));
  await turn(1000).then(() => order.push("small"));
  await Promise.all(large);
  expect(order.indexOf("small")).toBeLessThanOrEqual(1);
});

test("more than can be held are refused in a sentence, and those who wait are served", async () => {
  const turn = createLargeBodies();
  const all = Array.from({ length: 103 }, () => turn(1_000_000));
  const settled = await Promise.allSettled(all);
  const refused = settled.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(3);
  expect((refused[0] as PromiseRejectedResult).reason.message).toBe(
    "Too many large requests at once. Try again in a moment.",
  );
});
