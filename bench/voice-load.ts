import { fork } from "node:child_process";
import { once } from "node:events";
import { level_dbfs } from "../src/audio/level.ts";
import { tone } from "../src/audio/tones.ts";
import type { VoiceEngines } from "../src/media/voice-engines.ts";
import { HEARING_RATE as rate } from "../src/speech/hearing.ts";
import { startPlatform } from "./platform.ts";
import { createVoicePage } from "./voice-page.ts";

/** What the callers' process is told, and what it tells. */
export type CallersAsked = { url: string; calls: { call_id: string; token: string }[]; seconds: number };
export type CallersTold = { answers_ms: number[]; unanswered: number };

/** Silence after which these words are a finished answer (`src/media/end-of-turn.ts`). */
const END_OF_TURN_MS = 400;

/** Hear a voice in any sound, its end at once, and always the same words; speak a tone that is there at once. */
const standIns = (): VoiceEngines => ({
  hearing: {
    name: "stand-in",
    open: (_, tell) => {
      let speaks = false;
      let at_ms = 0;
      return {
        push: (frame) => {
          at_ms += 20;
          const isVoice = level_dbfs(frame) > -45;
          if (isVoice === speaks) return;
          speaks = isVoice;
          tell({ type: isVoice ? "speech_started" : "speech_stopped", at_ms });
          if (!isVoice) tell({ type: "final", text: "good morning" });
        },
        close: () => {},
      };
    },
  },
  speaking: {
    name: "stand-in",
    rate,
    async *speak() {
      yield { samples: tone(400, { rate, ms: 1000 }), aligned: [] };
    },
  },
  detection: null,
  missing: null,
});

export type Load = { calls: number; own_ms: number[]; unanswered: number; core_percent: number };

/**
 * Calls at once with engines that cost nothing: what is left of the wait is our own share. The callers are a process of their
 * own, so that the processor's seconds counted are the program's.
 */
export async function loadOf(calls: number, seconds: number): Promise<Load> {
  const platform = await startPlatform({ voiceEngines: standIns() });
  const url = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });
  try {
    const client_id = await createVoicePage(url, platform.token, 'on /.*/ -> say "Good morning."');
    const opened: CallersAsked["calls"] = [];
    for (let at = 0; at < calls; at++) {
      // From an address of its own each: one address may not call so often.
      const response = await platform.api.server.inject({
        method: "POST",
        url: "/chat/v1/calls",
        remoteAddress: `10.0.0.${at + 1}`,
        payload: { client_id },
      });
      if (response.statusCode !== 200) throw new Error(response.body);
      opened.push(response.json());
    }
    const callers = fork(new URL("voice-callers.ts", import.meta.url), { stdio: "inherit" });
    const before = process.cpuUsage();
    const began = performance.now();
    callers.send({ url, calls: opened, seconds } satisfies CallersAsked);
    const [told] = (await Promise.race([
      once(callers, "message"),
      once(callers, "exit").then(() => Promise.reject(new Error("the callers failed"))),
    ])) as [CallersTold];
    const used = process.cpuUsage(before);
    const core_percent = (used.user + used.system) / 10 / (performance.now() - began) / calls;
    const own_ms = told.answers_ms.map((ms) => ms - END_OF_TURN_MS);
    return { calls, own_ms, unanswered: told.unanswered, core_percent };
  } finally {
    await platform.stop();
  }
}
