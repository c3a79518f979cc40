import { SocketCaller } from "../src/commands/call-socket.ts";
import type { VoiceEngines } from "../src/media/voice-engines.ts";
import { spokenText } from "../src/simulator/caller-audio.ts";
import { isLoud } from "../src/simulator/caller-ear.ts";
import { startPlatform } from "./platform.ts";
import { createVoicePage } from "./voice-page.ts";

const SCRIPT = `
on /open/ -> say "We are open from eight in the morning to five in the afternoon, on every day but Sunday and holidays."
on /appointment/ -> say "For what day would you like your appointment?"
on /monday/ -> say "Monday is fine. At what time would you like to come?"
on /.*/ -> say "I can book you a check up, a cleaning or a vaccination. Please tell me what you need, and when you would like to come."
`;
const QUESTIONS = [
  "when are you open",
  "i want to book an appointment",
  "on monday please",
  "what can you do for me",
];
const ANSWER_MS = 20_000;

/** In real time over the program's own socket: milliseconds from the caller's last sound to our first, of each question. */
export async function mouthToEar(engines: VoiceEngines, rounds: number): Promise<number[]> {
  const platform = await startPlatform({ voiceEngines: engines });
  const url = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });
  try {
    const client_id = await createVoicePage(url, platform.token, SCRIPT);
    const answers: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const response = await fetch(`${url}/chat/v1/calls`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client_id }),
      });
      if (!response.ok) throw new Error(await response.text());
      const opened = (await response.json()) as { call_id: string; token: string };
      const caller = new SocketCaller(url, opened, () => {});
      await caller.connected();
      for (const question of QUESTIONS) {
        const voice = await spokenText(engines.speaking, question);
        await caller.until(() => isQuiet(caller), ANSWER_MS);
        answers.push(await ask(caller, voice));
      }
      caller.hangUp();
    }
    return answers;
  } finally {
    await platform.stop();
  }
}

const isQuiet = ({ heard, isHearing }: SocketCaller) =>
  heard.length > 25 && !isHearing && !heard.slice(-25).some(isLoud);

async function ask(caller: SocketCaller, voice: Int16Array): Promise<number> {
  const from = caller.sent.length;
  await caller.say(voice);
  const last = caller.sent.findLastIndex((frame, at) => at >= from && isLoud(frame));
  const firstSound = () => caller.heard.findIndex((frame, at) => at > last && isLoud(frame));
  await caller.until(() => firstSound() >= 0, ANSWER_MS);
  const first = firstSound();
  if (first < 0) throw new Error("the question was not answered");
  return (first - last) * 20;
}
