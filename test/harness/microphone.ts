import { join } from "../../src/audio/level.ts";
import { writeWav } from "../../src/audio/wav.ts";
import { HEARING_RATE } from "../../src/speech/hearing.ts";
import type { Speaking } from "../../src/speech/speaking.ts";

/** Between the question and itself; in a longer silence the agent would ask whether somebody is there, and hang up. */
const QUIET_s = 8;

/** What the microphone of a browser picks up: somebody who asks this, waits, and asks it again, round and round. */
export async function askedAgainAndAgain(speaking: Speaking, text: string): Promise<Buffer> {
  const silence = (seconds: number) => new Int16Array(HEARING_RATE * seconds);
  const pieces: Int16Array[] = [silence(2)];
  const utterance = { text, language: "en-US", voice: "rms", speed: null };
  for await (const { samples } of speaking.speak(utterance, new AbortController().signal))
    pieces.push(samples);
  return writeWav({ rate: HEARING_RATE, channels: [join([...pieces, silence(QUIET_s)])] });
}
