import { decodeUlaw, encodeUlaw } from "../src/audio/g711.ts";
import { join, level_dbfs } from "../src/audio/level.ts";
import { resample } from "../src/audio/resample.ts";
import { NOTHING_UNSPOKEN, speakable } from "../src/calls/spoken-text.ts";
import { AudioCall } from "../src/simulator/audio-call.ts";
import { cough, hum, inRoom, overNetwork, pausing, slam, spokenText } from "../src/simulator/caller-audio.ts";
import { isLoud, wordsApart, wordsHeard } from "../src/simulator/caller-ear.ts";
import { chance } from "../src/simulator/random.ts";
import { HEARING_RATE as rate } from "../src/speech/hearing.ts";
import { wordsOf } from "../src/speech/local/language-model.ts";
import type { LocalHearing } from "../src/speech/local/local-hearing.ts";
import type { Speaking } from "../src/speech/speaking.ts";

/*
 * Callers on a clock of their own (`src/simulator/audio-call.ts`): what is heard and decided is the same on every machine and
 * under any load. Each trial is drawn by the seed; what is judged is the audio that came out of the caller's loudspeaker.
 */

export type VoiceTrials = { hearing: LocalHearing; speaking: Speaking; seed: number };

const FRAME_MS = 20;
const LONG =
  "We are open from eight in the morning to five in the afternoon, on every day but Sunday and holidays.";
const SHORT = "For what day would you like your appointment?";
const STOPS = ["wait", "no", "stop"];
const SENTENCES = [
  "wait i want to book an appointment",
  "when are you open",
  "can i speak to a person",
  "no on monday please",
];
const HELD_OUT = [
  "My tooth hurts since yesterday morning.",
  "Do you have something on Friday?",
  "Is the doctor there?",
];
/** Not the agent's own. */
const VOICES = ["rms", "awb", "kal16"];
const EXPECTED = [
  LONG,
  SHORT,
  ...STOPS,
  ...SENTENCES,
  "Please say that again.",
  "for a check up on monday",
  ...HELD_OUT,
];

const call = ({ hearing, speaking }: VoiceTrials, answer: (text: string) => string | null = () => null) =>
  new AudioCall({ hearing, speaking, expected: EXPECTED, answer });

/** In the pieces in which a call speaks an answer. */
function speakAnswer(line: AudioCall, text: string): void {
  const { pieces, rest } = speakable(NOTHING_UNSPOKEN, text);
  for (const piece of [...pieces, rest.text.trim()]) if (piece !== "") line.say(piece);
}

const pick = <T>(of: readonly T[], index: number): T => of[index % of.length] as T;
const voiceOf = ({ speaking }: VoiceTrials, text: string, index: number) =>
  spokenText(speaking, text, { voice: pick(VOICES, index) });

export type BargeIn = {
  said: string;
  /** From the caller's first sound to our last; null: we went on. */
  stopped_ms: number | null;
  /** What was recognized of it. */
  recognized: string;
  /** What the transcript says was heard of our words, and what the caller's ear heard. */
  transcript: string;
  ear: string;
};

/** Over our words, at a moment drawn by the seed. */
export async function bargeIn(trials: VoiceTrials, index: number, said: string): Promise<BargeIn> {
  const line = call(trials);
  try {
    speakAnswer(line, LONG);
    await line.wait(900 + 1800 * chance(trials.seed, "barge-in", said, index));
    const from = await line.play(await voiceOf(trials, said, index));
    await line.wait(2500);
    const began = line.sent.findIndex((frame, at) => at >= from && isLoud(frame));
    const last = line.heard.findLastIndex(isLoud);
    const taken = line.reports.find(({ type }) => type === "cut");
    const stopped_ms = taken && last - began < 100 ? Math.max(0, last + 1 - began) * FRAME_MS : null;
    const final = line.inputs.findLast((input) => input.type === "speech" && input.final);
    return {
      said,
      stopped_ms,
      recognized: final?.type === "speech" ? final.text : "",
      transcript: taken?.type === "cut" ? taken.heard : LONG,
      ear: await wordsHeard(trials.hearing, line.heardSince(0), EXPECTED),
    };
  } finally {
    line.close();
  }
}

export const stopWord = (index: number): string => pick(STOPS, index);
export const interruption = (index: number): string => pick(SENTENCES, index);
export const isFirstWordHeard = ({ said, recognized }: BargeIn): boolean =>
  wordsOf(said)[0] === wordsOf(recognized)[0];
/** How many words the transcript is off. */
export const transcriptError = ({ transcript, ear }: BargeIn): number => wordsApart(transcript, ear);

export type Disturbance = {
  sound: string;
  /** The answer was not spoken to its end. */
  lost: boolean;
  silent_ms: number;
  /** Words the caller heard again. */
  repeated: number;
};

const SOUNDS = ["cough", "mm-hm", "slam", "okay", "rush", "hum", "babble"] as const;

/** A sound over our words that is no word of theirs. */
export async function disturbance(trials: VoiceTrials, index: number): Promise<Disturbance> {
  const line = call(trials);
  const sound = pick(SOUNDS, index);
  try {
    // What is 10 dB below their voice is known once they have spoken.
    await line.play(await voiceOf(trials, "when are you open", index));
    await line.wait(1200);
    speakAnswer(line, LONG);
    await line.wait(900 + 1000 * chance(trials.seed, "disturbance", index));
    const from = await line.play(await disturbing(trials, sound, index));
    const spoken = () => line.inputs.some(({ type }) => type === "played");
    await line.until(() => (spoken() && line.isQuietFor(500)) || line.isQuietFor(3000), 12_000);
    const last = line.heard.findLastIndex(isLoud);
    const ear = await wordsHeard(trials.hearing, line.heardSince(0), EXPECTED);
    const lost = line.inputs.some(({ type }) => type === "interrupted") || !spoken();
    const repeated = Math.max(0, wordsOf(ear).length - wordsOf(LONG).length);
    return { sound, lost, silent_ms: longestSilence(line.heard.slice(from, last)) * FRAME_MS, repeated };
  } finally {
    line.close();
  }
}

async function disturbing(trials: VoiceTrials, sound: (typeof SOUNDS)[number], index: number) {
  const seed = trials.seed * 1000 + index;
  const okay = await voiceOf(trials, "okay", index);
  if (sound === "mm-hm") return hum({ rate, seed });
  if (sound === "okay") return okay;
  if (sound === "cough") return cough(okay, { rate, seed });
  if (sound === "slam") return slam({ rate, seed });
  // Two seconds of the room behind a caller who is silent, 10 dB below their voice.
  const voice = await voiceOf(trials, "when are you open, and what does it cost, please", index);
  const voices = await Promise.all(
    VOICES.map((_, other) => voiceOf(trials, "yes it is on the way home", other)),
  );
  const room = sound === "babble" ? { kind: sound, voices } : { kind: sound };
  const noisy = inRoom(voice, room, { rate, seed, snr_db: 10 });
  return noisy.map((sample, at) => sample - (voice[at] as number)).subarray(0, 2 * rate);
}

export const isFalseStop = ({ lost, silent_ms, repeated }: Disturbance): boolean =>
  lost || (silent_ms > 400 && (silent_ms > 2000 || repeated > 1));

export type Pausing = { pause_ms: number; talked_over: boolean };

/** A caller who pauses in the middle of a sentence. */
export async function pausingCaller(trials: VoiceTrials, index: number): Promise<Pausing> {
  const [first, second] = pick(
    [
      ["i want to book an appointment", "for a check up on monday"],
      ["i would like to make", "an appointment in the morning"],
      ["my name is", "on monday please"],
      ["can i speak to a person", "in the afternoon"],
      ["my tooth hurts", "since yesterday morning"],
      ["do you have", "something on friday"],
      ["i need to cancel", "the appointment on tuesday"],
      ["is the doctor there", "in the afternoon"],
    ] as const,
    index,
  );
  return paused(trials, index, [first, second], null);
}

/** A telephone number in three groups, where the open step waits for ten digits. */
export const dictatingCaller = (trials: VoiceTrials, index: number): Promise<Pausing> =>
  paused(trials, index, ["five one two", "five five five", "zero one four two"], 10);

async function paused(trials: VoiceTrials, index: number, parts: string[], digits: number | null) {
  const pause_ms = Math.round(300 + 600 * chance(trials.seed, "pause", parts.join(), index));
  const line = call(trials, () => SHORT);
  try {
    if (digits !== null) line.line.awaits({ kind: "dictated", characters: digits });
    await line.wait(500);
    const said = await Promise.all(parts.map((part) => voiceOf(trials, part, index)));
    const from = await line.play(pausing(said, pause_ms, rate));
    const talked_over = line.heard.slice(from).some(isLoud);
    await line.wait(500);
    return { pause_ms, talked_over };
  } finally {
    line.close();
  }
}

/** A question over a bad network or in a loud room: whether it was understood word for word. */
export async function hardToHear(
  trials: VoiceTrials,
  index: number,
): Promise<{ said: string; heard: string }> {
  const said = pick(SENTENCES, index);
  const seed = trials.seed * 1000 + index;
  const voice = await voiceOf(trials, said, index);
  const rooms = [
    inRoom(voice, { kind: "rush" }, { rate, seed, snr_db: 15 }),
    overNetwork(voice, { rate, seed, loss: 0.02, late: 0.02 }),
  ];
  const line = call(trials);
  try {
    await line.wait(500);
    await line.play(pick(rooms, index));
    await line.wait(2000);
    const heard = line.inputs.findLast((input) => input.type === "speech" && input.final);
    return { said, heard: heard?.type === "speech" ? heard.text : "" };
  } finally {
    line.close();
  }
}

/** The agent's voice over our path, as a telephone gets it, against the same voice coded at once. */
export async function pathQuality(trials: VoiceTrials): Promise<{ snr_db: number; longest_gap_ms: number }> {
  const telephone = 8000;
  const line = new AudioCall({ ...trials, expected: EXPECTED, answer: () => null, rate: telephone });
  try {
    line.say(LONG);
    await line.until(() => line.inputs.some(({ type }) => type === "played"), 15_000);
    const made = await spokenText(trials.speaking, LONG, { voice: "slt" });
    const direct = decodeUlaw(encodeUlaw(resample(made, rate, telephone)));
    const frames = line.heard.map((frame) => decodeUlaw(encodeUlaw(frame)));
    const begins = frames.findIndex((frame) => frame.some((sample) => sample !== 0));
    const path = join(frames.slice(begins)).subarray(0, direct.length);
    const error = direct.map((sample, at) => sample - (path[at] ?? 0));
    return { snr_db: level_dbfs(direct) - level_dbfs(error), longest_gap_ms: longestGap(direct, path) };
  } finally {
    line.close();
  }
}

/** Where the direct voice sounds and the path is silent. */
function longestGap(direct: Int16Array, path: Int16Array): number {
  const step = (8000 * FRAME_MS) / 1000;
  const gaps: boolean[] = [];
  for (let at = 0; at + step <= direct.length; at += step)
    gaps.push(isLoud(direct.subarray(at, at + step)) && !isLoud(path.subarray(at, at + step)));
  return longestRun(gaps) * FRAME_MS;
}

const longestSilence = (frames: Int16Array[]): number => longestRun(frames.map((frame) => !isLoud(frame)));

function longestRun(holds: boolean[]): number {
  let longest = 0;
  let now = 0;
  for (const one of holds) {
    now = one ? now + 1 : 0;
    longest = Math.max(longest, now);
  }
  return longest;
}
