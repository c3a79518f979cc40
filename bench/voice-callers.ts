import { setTimeout as sleep } from "node:timers/promises";
import { tone } from "../src/audio/tones.ts";
import { SocketCaller } from "../src/commands/call-socket.ts";
import { isLoud } from "../src/simulator/caller-ear.ts";
import { HEARING_RATE as rate } from "../src/speech/hearing.ts";
import type { CallersAsked, CallersTold } from "./voice-load.ts";

/** The callers of `voice-load.ts`, in a process of their own: each speaks, waits for the answer to its end, speaks again. */
const VOICE = tone(300, { rate, ms: 800 });
const UNANSWERED_MS = 5000;

process.once("message", async ({ url, calls, seconds }: CallersAsked) => {
  const told: CallersTold = { answers_ms: [], unanswered: 0 };
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    calls.map(async (call, index) => {
      await sleep((index * 3000) / calls.length);
      const caller = new SocketCaller(url, call, () => {});
      await caller.connected();
      while (performance.now() < until && !caller.isOver) await speakOnce(caller, told);
      caller.hangUp();
    }),
  );
  process.send?.(told, () => process.disconnect?.());
});

async function speakOnce(caller: SocketCaller, told: CallersTold): Promise<void> {
  const from = caller.sent.length;
  await caller.say(VOICE);
  const last = caller.sent.findLastIndex((frame, at) => at >= from && isLoud(frame));
  const firstSound = () => caller.heard.findIndex((frame, at) => at > last && isLoud(frame));
  await caller.until(() => firstSound() >= 0, UNANSWERED_MS);
  const first = firstSound();
  if (first < 0) told.unanswered++;
  else told.answers_ms.push((first - last) * 20);
  await caller.until(() => !caller.isHearing && !caller.heard.slice(-15).some(isLoud), UNANSWERED_MS);
  await sleep(300);
}
