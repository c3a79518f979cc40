import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { movedClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { VoiceEngines } from "../../media/voice-engines.ts";
import type { VoiceCalls } from "../voice-calls.ts";
import { openMediaLine } from "./open-media-line.ts";

const VOICE = { languages: [], interruptible_by: "all", hints: [], wish: {} };

test.each([
  ["can't be opened, as while the database is away", () => Promise.reject(new Error("the database is away"))],
  ["was opened before", () => Promise.resolve(null)],
])("a call that %s leaves no ear open", async (_, open) => {
  let ears = 0;
  const engines: VoiceEngines = {
    missing: null,
    detection: null,
    hearing: {
      name: "counted",
      open() {
        ears++;
        return { push() {}, close: () => void ears-- };
      },
    },
    speaking: { name: "silent", rate: 8000, async *speak() {} },
  };
  const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1 });
  const calls = { voiceOf: async () => VOICE, open } as unknown as VoiceCalls;
  const clock = movedClock("2026-11-23T12:00:00Z");
  const line = { rate: 8000, play() {}, mark() {}, clear() {}, close() {} };
  const parts = { calls, engines, clock, log: silentLog, soundAt: () => null };
  const wanted = { call_id: "1", token: "t", line, ended() {} };
  await openMediaLine(parts, socket as never, wanted).catch(() => null);
  expect(ears).toBe(0);
});
