import { expect, test } from "vitest";
import { endedBy, isRunning, lengthOf, voiceWords } from "./session-words.ts";

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

test("a call that we heard and spoke on tells for how long, and what it cost", () => {
  const voice = { hearing_seconds: 62.4, speaking_seconds: 8, cost_usd: 0 };
  expect(voiceWords({})).toBeNull();
  expect(voiceWords({ voice })).toBe("1 min 2 s heard, 8.0 s spoken, no cost");
  expect(voiceWords({ voice: { ...voice, cost_usd: 0.0123 } })).toMatch(/, \$0\.0123?$/);
  expect(voiceWords({ voice: { ...voice, cost_usd: null } })).toMatch(/, cost unknown$/);
});
