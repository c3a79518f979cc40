import { decodeUlaw, encodeUlaw } from "../src/audio/g711.ts";
import { amplify, join, mix } from "../src/audio/level.ts";
import { noise, silence, specialInformationTone, tone } from "../src/audio/tones.ts";
import type { AnsweredKind } from "../src/channels/call-socket.ts";
import { ANSWERING_SENTENCES } from "../src/media/words/answering-words.ts";
import { AudioCall } from "../src/simulator/audio-call.ts";
import { spokenText } from "../src/simulator/caller-audio.ts";
import { isLoud } from "../src/simulator/caller-ear.ts";
import { chance } from "../src/simulator/random.ts";
import { HEARING_RATE as rate } from "../src/speech/hearing.ts";
import type { VoiceTrials } from "./voice-rows.ts";

/*
 * Calls that a person, a mailbox, a screener, a menu, a queue, the network or a fax answers, each made of the offline
 * voices and tones, on a telephone line with noise; what is judged is what the line tells of it, and when the message of a
 * voicemail sounds.
 */

const HELLOS = [
  "Hello?",
  "Hello, who is this?",
  "Yes, hello.",
  "Good morning.",
  "Hi, this is Anna.",
  "Hello, Miller speaking.",
];
const ANNOUNCEMENTS: Partial<Record<AnsweredKind, string[]>> = {
  voicemail: [
    "Hi, you have reached Anna. I can't come to the phone right now. Please leave a message after the tone.",
    "You have reached the voicemail of the Miller family. Please leave your message after the beep, and we will call you back.",
    "The person you are trying to reach is not available. At the tone, please record your message.",
    "Hello, this is John. I am not here, so leave me a message after the beep. Thank you, and have a nice day.",
  ],
  screener: [
    "Hi. Please state your name and the reason for your call.",
    "The person you are calling is using a screening service. Please say your name, and why you are calling.",
    "Please say your name after the tone, and stay on the line.",
  ],
  ivr: [
    "Thank you for calling. For appointments, press one. For billing, press two.",
    "Welcome to the main menu. To speak with a person, press zero.",
    "For opening hours, press one. For anything else, press three.",
  ],
  hold: [
    "Your call is important to us. Please stay on the line.",
    "Please hold. You will be connected with the next available agent.",
    "All our lines are busy right now. Please hold.",
  ],
  unavailable: [
    "The number you have dialed is not in service. Please check the number, and dial again.",
    "We are sorry. The number you have dialed is not in service.",
  ],
};
const MESSAGE = "Hello, this is the clinic. Please call us back.";
const EXPECTED = [
  MESSAGE,
  ...HELLOS,
  ...ANSWERING_SENTENCES,
  "Please say your name and why you are calling.",
  "Welcome to the main menu. Press zero, three.",
  "screening service",
];
const VOICES = ["rms", "awb", "kal16"];

/** How often each answers, in six and a half. */
const KINDS: AnsweredKind[] = [
  "human",
  "voicemail",
  "screener",
  "human",
  "voicemail",
  "ivr",
  "human",
  "voicemail",
  "hold",
  "human",
  "voicemail",
  "unavailable",
  "fax",
  "unknown",
];

export type AnsweredCall = {
  is: AnsweredKind;
  told: AnsweredKind;
  what: string;
  /** From a person's last sound to our knowing. */
  human_ms: number | null;
  /** From the end of the beep to the first sound of the message. */
  message_ms: number | null;
};

type Sound = { samples: Int16Array; what: string; said_ms?: number; beep_over_ms?: number };

const ms_of = (samples: Int16Array) => (samples.length * 1000) / rate;
const pick = <T>(of: readonly T[], by: number): T => of[Math.floor(by * of.length) % of.length] as T;

async function soundOf(trials: VoiceTrials, is: AnsweredKind, index: number): Promise<Sound> {
  const random = (what: string) => chance(trials.seed, "answerer", what, index);
  const between = (what: string, from: number, to: number) => from + random(what) * (to - from);
  const before = silence(rate, between("before", 300, 1500));
  const say = (text: string) => spokenText(trials.speaking, text, { voice: pick(VOICES, random("voice")) });
  const steady = (hz: number, ms: number) =>
    tone(hz, { rate, ms, level_db: between("level of a tone", -20, -10) });
  if (is === "fax") {
    const hz = pick([1100, 2100], random("side"));
    return { what: `${hz} Hz`, samples: join([before, steady(hz, hz === 1100 ? 500 : 3000)]) };
  }
  if (is === "unknown") return { what: "nobody speaks", samples: before };
  const isToned = is === "unavailable" && random("toned") < 0.5;
  const texts = ANNOUNCEMENTS[is] ?? HELLOS;
  const what = pick(texts, random("text"));
  const words = await say(what);
  if (isToned) return { what: "three tones", samples: join([before, specialInformationTone(rate), words]) };
  if (is !== "voicemail")
    return { what, samples: join([before, words]), said_ms: ms_of(before) + ms_of(words) };
  const hz = Math.round(between("hz", 420, 2050));
  const announced = join([before, words, silence(rate, between("gap", 200, 1800))]);
  const beep = steady(hz, between("beep", 200, 900));
  return {
    what: `${what} ${hz} Hz`,
    samples: join([announced, beep]),
    beep_over_ms: ms_of(announced) + ms_of(beep),
  };
}

function overLine(trials: VoiceTrials, samples: Int16Array, index: number): Int16Array {
  const quieter = amplify(samples, -10 * chance(trials.seed, "line", index));
  const level_db = -68 + 14 * chance(trials.seed, "hiss", index);
  const hissing = mix(quieter, noise(trials.seed * 1000 + index, { rate, ms: ms_of(samples), level_db }));
  return decodeUlaw(encodeUlaw(hissing));
}

/** One call that we made, and what was told of it. */
export async function answeredCall(trials: VoiceTrials, index: number): Promise<AnsweredCall> {
  const is = pick(KINDS, (index % KINDS.length) / KINDS.length);
  const { samples, what, said_ms, beep_over_ms } = await soundOf(trials, is, index);
  let told: AnsweredKind = "unknown";
  let human_ms: number | null = null;
  let isLeaving = false;
  const line: AudioCall = new AudioCall({
    hearing: trials.hearing,
    speaking: trials.speaking,
    expected: EXPECTED,
    answer: () => null,
    finds_answerer: true,
    told(input) {
      if (input.type !== "answerer") return;
      told = input.by;
      if (input.by === "human" && said_ms !== undefined) human_ms ??= line.sent.length * 20 - said_ms;
      if (input.by !== "voicemail" || !input.firm || isLeaving) return;
      isLeaving = true;
      line.line.send({ type: "after_beep", forget: false });
      line.say(MESSAGE);
    },
  });
  try {
    const quiet = silence(rate, 4500);
    await line.play(overLine(trials, join([samples, quiet]), index));
    const first = line.heard.findIndex(isLoud);
    const message_ms = beep_over_ms === undefined || first < 0 ? null : first * 20 - beep_over_ms;
    return { is, told, what, human_ms: is === "human" ? human_ms : null, message_ms };
  } finally {
    line.close();
  }
}
