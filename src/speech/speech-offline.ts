import { spawn } from "node:child_process";
import { Fault } from "../base/errors.ts";
import type { LanguageCode } from "./languages.ts";
import type { Sound, Speech } from "./speech-service.ts";

/**
 * espeak-ng, where it is installed: it speaks every language of ours offline, in a voice of its own that stands in for
 * any other. https://github.com/espeak-ng/espeak-ng/blob/master/src/espeak-ng.1.ronn
 */
const COMMAND = "espeak-ng";
const TIMEOUT_MS = 15_000;
const MAX_SOUND_bytes = 20 * 1024 * 1024;
const WORDS_A_MINUTE = 175;

const LANGUAGES: Record<LanguageCode, string> = {
  "yue-HK": "yue",
  "en-US": "en-us",
  "ko-KR": "ko",
  "zh-CN": "cmn",
  "fa-IR": "fa",
  "es-US": "es-419",
  "th-TH": "th",
  "vi-VN": "vi",
  "bs-BA": "bs",
  "sw-KE": "sw",
  "ru-RU": "ru",
  "hi-IN": "hi",
  "gu-IN": "gu",
  "ar-XA": "ar",
  "fr-FR": "fr-fr",
  "ja-JP": "ja",
  "ne-NP": "ne",
};

/** Its arguments; the text goes in by its standard input, so that no text is ever taken for one. */
export function offlineArguments({ language, voice, speed, pitch }: Omit<Speech, "text">): string[] {
  const words = Math.round(Math.min(Math.max(WORDS_A_MINUTE * (speed ?? 1), 80), 450));
  // 50 is its middle of 0 to 99; an octave is about half of that.
  const height = Math.round(Math.min(Math.max(50 + (pitch ?? 0) * 2, 0), 99));
  const variant = voice.gender === "female" ? "+f3" : "+m3";
  return [
    "-v",
    `${LANGUAGES[language]}${variant}`,
    "-s",
    String(words),
    "-p",
    String(height),
    "--stdin",
    "--stdout",
  ];
}

/** The bytes of a WAV; null where the program is not installed. */
export async function speakOffline(speech: Speech, command = COMMAND): Promise<Sound | null> {
  const child = spawn(command, offlineArguments(speech), {
    stdio: ["pipe", "pipe", "ignore"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: { PATH: process.env.PATH ?? "" },
  });
  const ended = Promise.withResolvers<number | null>();
  let missing = false;
  child.once("error", (error: NodeJS.ErrnoException) => {
    missing = error.code === "ENOENT" || error.code === "EACCES";
    ended.resolve(null);
  });
  child.once("close", ended.resolve);
  // A program that ends early leaves a pipe nobody reads; how it ended says all there is to say.
  child.stdin.on("error", () => {});
  child.stdin.end(speech.text);

  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_SOUND_bytes) child.kill("SIGKILL");
    else chunks.push(chunk);
  });
  const code = await ended.promise;
  if (missing) return null;
  if (code !== 0 || size === 0) throw new Fault("unavailable", `${COMMAND} could not speak this text.`);
  return { bytes: Buffer.concat(chunks), content_type: "audio/wav" };
}
