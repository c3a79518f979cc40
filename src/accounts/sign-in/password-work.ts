import { Fault } from "../../base/errors.ts";

/** A comparison takes a thread of four for 30 ms; more at once would keep files and names waiting. */
const COMPARED_AT_ONCE = 2;
const MOST_WAITING = 100;

let comparing = 0;
const waiting: (() => void)[] = [];

/** Passwords are compared and hashed a few at a time; a crowd of strangers waits, and beyond that is sent away. */
export async function atOnce<T>(run: () => Promise<T>): Promise<T> {
  if (waiting.length >= MOST_WAITING)
    throw new Fault("too-many", "Too Many Requests: many people sign in right now. Try again in 5 s.", {
      retry_after_s: 5,
    });
  if (comparing >= COMPARED_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  comparing++;
  try {
    return await run();
  } finally {
    comparing--;
    waiting.shift()?.();
  }
}
