import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { movedClock } from "../../base/clock.ts";
import { SidesRecorder } from "./sides-recorder.ts";

test.each([
  ["back by an hour", -3_600_000],
  ["ahead by an hour", 3_600_000],
])(
  "a recording is as long as the call, and both sides keep their places, where the clock is set %s",
  async (_, ms) => {
    const folder = await mkdtemp(path.join(tmpdir(), "sides-"));
    try {
      const clock = movedClock("2026-11-23T12:00:00Z");
      const file = path.join(folder, "call.wav");
      let ended: Promise<void> = Promise.resolve();
      const recorder = new SidesRecorder(
        clock,
        { file: await open(file, "w"), seal: (bytes) => Buffer.from(bytes) },
        8000,
        (closed) => {
          ended = closed;
        },
      );
      // The caller all the time, the agent for a second from the third on.
      for (let at = 0; at < 10_000; at += 20) {
        if (at === 5000) clock.jump(ms);
        recorder.caller(new Int16Array(160).fill(1 + at / 20));
        if (at >= 3000 && at < 4000) recorder.agent(new Int16Array(160).fill(-1 - at / 20));
        clock.advance(20);
      }
      recorder.end();
      await ended;
      const bytes = await readFile(file);
      const both = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
      expect(both.length / 2 / 8000).toBe(10);
      for (let at = 0; at < 10_000; at += 20) {
        const sample = (at * 8000) / 1000;
        expect(both[2 * sample], `the caller at ${at} ms`).toBe(1 + at / 20);
        expect(both[2 * sample + 1], `the agent at ${at} ms`).toBe(
          at >= 3000 && at < 4000 ? -1 - at / 20 : 0,
        );
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
