import { expect, test } from "vitest";
import { endedBy, isRunning, lengthOf } from "./session-words.ts";

const session = { timestamp: "2026-11-18T12:00:00+00:00", ended_at: null, end_reason: null, duration: null };

test("a session without an end is running, whatever its channel", () => {
  expect(isRunning(session)).toBe(true);
  expect(lengthOf(session)).toBeNull();
  expect(endedBy(session)).toBeNull();
});

test("a chat or text that ended has a length and a reason, though it has no seconds of a call", () => {
  const ended = { ...session, ended_at: "2026-11-18T12:03:20+00:00", end_reason: "idle" };
  expect(isRunning(ended)).toBe(false);
  expect(lengthOf(ended)).toBe("3 min 20 s");
  expect(endedBy(ended)).toBe("idle timeout");
});

test("a call tells its own length", () => {
  const call = { ...session, ended_at: "2026-11-18T12:05:00+00:00", end_reason: "user", duration: 12.3 };
  expect(lengthOf(call)).toBe("12.3 s");
  expect(endedBy(call)).toBe("person");
});
