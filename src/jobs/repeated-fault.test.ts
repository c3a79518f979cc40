import { expect, test } from "vitest";
import { RepeatedFault } from "./repeated-fault.ts";

test("a repeated fault is logged once a minute, immediately when its message changes, and again after a success", () => {
  const told: string[] = [];
  let now_ms = 0;
  const fault = new RepeatedFault(
    (words) => told.push(words),
    () => now_ms,
  );
  const fails = (words: string) => fault.failed(new Error(words));
  expect(fault.worked()).toBe(false);
  for (let s = 0; s < 60; s++) {
    fails("refused");
    now_ms += 1_000;
  }
  expect(told.splice(0)).toEqual(["refused"]);
  fails("refused");
  expect(told.splice(0)).toEqual(["refused"]);
  fails("starting up");
  fails("starting up");
  expect(told.splice(0)).toEqual(["starting up"]);
  expect(fault.worked()).toBe(true);
  expect(fault.worked()).toBe(false);
  fails("starting up");
  expect(told).toEqual(["starting up"]);
});
