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
/** Three that end in 400 ms of silence, and a wish, which is waited for longer (`src/media/end-of-turn.ts`). */
const QUESTIONS = [
  "when are you open",
  "i want to book an appointment",
  "on monday please",
  "what can you do for me",
];
const WISH = 1;

/** Milliseconds, and of what they were made by the session's trace. */
export type Waits = {
  questions_ms: number[];
  wish_ms: number[];
  silence_ms: number[];
  /** From the answer's first words to their first sound. */
  making_ms: number[];
};
const ANSWER_MS = 20_000;

/** In real time over the program's own socket: from the caller's last sound to our first, of each question. */
export async function mouthToEar(engines: VoiceEngines, rounds: number): Promise<Waits> {
  const platform = await startPlatform({ voiceEngines: engines });
  const url = await platform.api.server.listen({ host: "127.0.0.1", port: 0 });
  try {
    const client_id = await createVoicePage(url, platform.token, SCRIPT);
    const waits: Waits = { questions_ms: [], wish_ms: [], silence_ms: [], making_ms: [] };
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
      for (const [at, question] of QUESTIONS.entries()) {
        const voice = await spokenText(engines.speaking, question);
        await caller.until(() => isQuiet(caller), ANSWER_MS);
        const wait_ms = await ask(caller, voice);
        (at === WISH ? waits.wish_ms : waits.questions_ms).push(wait_ms);
      }
      caller.hangUp();
    }
    const traced = await platform.database.db
      .selectFrom("session_trace")
      .select(["label", "duration_ms"])
      .where("label", "in", ["end of turn", "first sound"])
      .execute();
    const msOf = (label: string) =>
      traced.flatMap((entry) => (entry.label === label ? [Number(entry.duration_ms)] : []));
    return { ...waits, silence_ms: msOf("end of turn"), making_ms: msOf("first sound") };
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
