import { bytesOf } from "../../src/audio/frames.ts";
import { tone } from "../../src/audio/tones.ts";
import { type SpeechSession, serveSpeech } from "./speech-double.ts";

/* Services that speak: their documented messages. */

/** 60 ms of sound a character. */
const MS_A_CHARACTER = 60;
const soundOf = (characters: number): Int16Array =>
  tone(300, { rate: 16_000, ms: Math.max(20, characters * MS_A_CHARACTER) });

type Sentence = { parts: object[][] };

/** Sends an utterance's parts in real time, or worse. */
function speakAloud(
  { socket, trouble }: SpeechSession,
  { parts }: Sentence,
  signal: { cancelled: boolean },
): void {
  if (trouble?.type === "hangs") return;
  let at = 0;
  const next = () => {
    if (signal.cancelled || socket.readyState !== socket.OPEN) return;
    if (trouble?.type === "closes" && at * 100 >= trouble.after_ms)
      return socket.close(1011, "internal error");
    for (const message of parts[at] ?? [])
      socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message));
    if (++at < parts.length) setTimeout(next, 10);
  };
  setTimeout(next, trouble?.type === "late" ? trouble.ms : 0);
}

/** A sentence in words, each a part. */
const wordsOf = (text: string): string[] => text.trim().split(/(?<= )/);

export async function elevenLabsDouble(voices: { voice_id: string; name: string }[] = []) {
  const known =
    voices.length > 0 ? voices : [{ voice_id: "v-alice", name: "Alice - Clear, Engaging Educator" }];
  return serveSpeech(
    (session) => {
      const cancelled = new Map<string, { cancelled: boolean }>();
      session.socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        session.sent.push(message);
        if (message.close_socket) return session.socket.close(1000);
        const signal = cancelled.get(message.context_id) ?? { cancelled: false };
        cancelled.set(message.context_id, signal);
        if (message.close_context) {
          // Closed before its text was spoken: what is under way is finished all the same.
          if (
            session.sent.filter(
              ({ context_id, close_context }) => context_id === message.context_id && close_context,
            ).length > 1
          )
            signal.cancelled = true;
          return;
        }
        if (!message.text?.trim()) return;
        const contextId = message.context_id;
        const parts = wordsOf(message.text).map((word) => [
          {
            audio: bytesOf(soundOf(word.length)).toString("base64"),
            alignment: {
              chars: [...word],
              charStartTimesMs: [...word].map((_, at) => at * MS_A_CHARACTER),
              charDurationsMs: [...word].map(() => MS_A_CHARACTER),
            },
            normalizedAlignment: null,
            contextId,
          },
        ]);
        speakAloud(session, { parts: [...parts, [{ isFinal: true, contextId }]] as object[][] }, signal);
      });
    },
    (path) => (path.startsWith("/v2/voices") ? { voices: known } : null),
  );
}

export async function cartesiaDouble() {
  return serveSpeech(
    (session) => {
      const cancelled = new Map<string, { cancelled: boolean }>();
      session.socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        session.sent.push(message);
        const { context_id } = message;
        const signal = cancelled.get(context_id) ?? { cancelled: false };
        cancelled.set(context_id, signal);
        if (message.cancel) {
          signal.cancelled = true;
          return;
        }
        let at_s = 0;
        const parts = wordsOf(message.transcript).map((word) => {
          const sound = soundOf(word.length);
          const start = at_s;
          at_s += sound.length / 16_000;
          const word_timestamps = { words: [word.trim()], start: [start], end: [at_s] };
          const common = { context_id, done: false, status_code: 206 };
          return [
            { type: "chunk", data: bytesOf(sound).toString("base64"), step_time: 1, ...common },
            { type: "timestamps", word_timestamps, ...common },
          ];
        });
        const done = { type: "done", done: true, status_code: 206, context_id };
        speakAloud(session, { parts: [...parts, [done]] }, signal);
      });
    },
    (path) =>
      path.startsWith("/voices") ? { data: [{ id: "c-skylar", name: "Skylar - Friendly Guide" }] } : null,
  );
}

/** Of Deepgram, whose one address both hears and speaks. */
export function auraSession(session: SpeechSession): void {
  let text = "";
  session.socket.on("message", (data) => {
    const message = JSON.parse(String(data));
    session.sent.push(message);
    if (message.type === "Speak") text += message.text;
    if (message.type === "Close") session.socket.close(1000);
    if (message.type !== "Flush") return;
    const parts = wordsOf(text).map((word) => [bytesOf(soundOf(word.length))]);
    text = "";
    speakAloud(session, { parts: [...parts, [{ type: "Flushed", sequence_id: 0 }]] }, { cancelled: false });
  });
}
