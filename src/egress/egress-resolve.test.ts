import { expect, test } from "vitest";
import { rememberingResolve } from "./egress-resolve.ts";

function counted(answer: (host: string, call: number) => Promise<string[]>) {
  let now = 0;
  const calls: string[] = [];
  const resolve = rememberingResolve(
    (host) => {
      calls.push(host);
      return answer(host, calls.length);
    },
    () => now,
  );
  return { resolve, calls, pass: (ms: number) => (now += ms) };
}

test("calls that come together ask for a name once, and again after five seconds", async () => {
  const { resolve, calls, pass } = counted(async (_host, call) => [`192.0.2.${call}`]);
  expect(await Promise.all([resolve("a.example"), resolve("a.example")])).toEqual([
    ["192.0.2.1"],
    ["192.0.2.1"],
  ]);
  pass(4_999);
  expect(await resolve("a.example")).toEqual(["192.0.2.1"]);
  expect(await resolve("b.example")).toEqual(["192.0.2.2"]);
  pass(1);
  expect(await resolve("a.example")).toEqual(["192.0.2.3"]);
  expect(calls).toEqual(["a.example", "b.example", "a.example"]);
});

test("a failure is not remembered", async () => {
  const { resolve } = counted(async (_host, call) => {
    if (call === 1) throw new Error("not now");
    return ["192.0.2.1"];
  });
  await expect(resolve("a.example")).rejects.toThrow("not now");
  expect(await resolve("a.example")).toEqual(["192.0.2.1"]);
});

test("the memory holds a thousand names and forgets the oldest", async () => {
  const { resolve, calls } = counted(async () => ["192.0.2.1"]);
  for (let i = 0; i <= 1_000; i++) await resolve(`${i}.example`);
  await resolve("1000.example");
  expect(calls).toHaveLength(1_001);
  await resolve("0.example");
  expect(calls).toHaveLength(1_002);
});
