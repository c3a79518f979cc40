import { level_dbfs } from "./level.ts";
import { FAX_HZ, shareOfTone } from "./tones.ts";

/*
 * Who picked up, by sound alone: the cadence of a voice, and the tones that machines make. Fed frame by frame from the
 * moment the line is open; nothing waits for it. Pure.
 */

/** `unavailable`: the network says that the number can't be reached. */
type Who = "human" | "voicemail" | "unavailable" | "fax" | "silence";

export type WhoEvent =
  /** Told again where what is heard later shows it to be another. */
  | { type: "answered"; by: Who; reason: "cadence" | "beep" | "tones" | "silence" }
  /** The tone after which a machine records has just ended. */
  | { type: "beep" };

const FRAME_MS = 20;
/** What is this much above the line's own noise, and not below the floor, is a sound. */
const ABOVE_NOISE_DB = 10;
const FLOOR_DBFS = -48;
const NOISE_FRAMES = 100;
/** A person says a few words and waits to be answered; an announcement goes on. */
const LONGEST_HELLO_MS = 2400;
const ANSWER_PAUSE_MS = 600;
/** Shorter than any word: a click. */
const SHORTEST_WORD_MS = 100;
const SILENT_MS = 3500;
/** One frequency holds so much of a frame's power: no voice does. */
const PURE = 0.8;
/** A tone that wanders by more is a whistle or a voice. */
const STEADY_HZ = 30;
const BEEP_MS = 140;
const BEEP_HZ = [380, 2150] as const;
const BEEP_OVER_MS = 60;
const FAX_MS = 400;
/** E.180: three rising tones of a third of a second each; networks differ by some 60 Hz. */
const INFORMATION_HZ = [950, 1400, 1780] as const;
const INFORMATION_WITHIN_HZ = 70;
const INFORMATION_MS = 180;

type Tone = { hz: number; ms: number };

export class WhoAnswered {
  readonly #rate: number;
  /** The levels of the last frames: the quietest of them is the line's own noise, for every voice has pauses. */
  #levels: number[] = [];
  #elapsed_ms = 0;
  #voice_ms = 0;
  #pause_ms = 0;
  /** The tone that sounds, those that did so far one after the other, and what is quiet since. */
  #tone: Tone | null = null;
  #tones: Tone[] = [];
  #sinceTone_ms = 0;
  #by: Who | null = null;
  #isAnswered = false;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** How long nothing but tones has been heard of a voice. */
  get quiet_ms(): number {
    return this.#pause_ms;
  }

  /** We began to speak. What is said from now on may be an answer, as long as it likes: only tones tell a machine. */
  weSpeak(): void {
    this.#isAnswered = true;
  }

  /** 20 ms of the other side. */
  push(frame: Int16Array): WhoEvent[] {
    this.#elapsed_ms += FRAME_MS;
    const level = level_dbfs(frame);
    this.#levels = [...this.#levels, level].slice(-NOISE_FRAMES);
    const isSound = level > Math.max(FLOOR_DBFS, Math.min(...this.#levels) + ABOVE_NOISE_DB);
    const hz = level > FLOOR_DBFS ? pureTone(frame, this.#rate) : null;
    return [...this.#takeTone(hz), ...this.#takeVoice(isSound, hz !== null)];
  }

  #takeTone(hz: number | null): WhoEvent[] {
    if (hz !== null && this.#tone && Math.abs(hz - this.#tone.hz) <= STEADY_HZ) {
      this.#tone.ms += FRAME_MS;
      return this.#toneGoesOn(this.#tone);
    }
    const ended = this.#endTone();
    if (hz !== null) this.#tone = { hz, ms: FRAME_MS };
    else this.#sinceTone_ms += FRAME_MS;
    return [...ended, ...this.#beepOver(hz === null)];
  }

  #toneGoesOn({ hz, ms }: Tone): WhoEvent[] {
    const isFax = FAX_HZ.some((known) => Math.abs(known - hz) <= STEADY_HZ);
    // A beep may have this pitch too; after a greeting it is one.
    return isFax && ms >= FAX_MS && this.#voice_ms < SHORTEST_WORD_MS ? this.#found("fax", "tones") : [];
  }

  #endTone(): WhoEvent[] {
    const tone = this.#tone;
    if (!tone) return [];
    this.#tone = null;
    this.#sinceTone_ms = 0;
    if (tone.ms < BEEP_MS) return [];
    this.#tones = [...this.#tones, tone].slice(-INFORMATION_HZ.length);
    const isInformation =
      this.#tones.length === INFORMATION_HZ.length &&
      this.#tones.every(
        (one, index) =>
          one.ms >= INFORMATION_MS &&
          Math.abs(one.hz - (INFORMATION_HZ[index] as number)) <= INFORMATION_WITHIN_HZ,
      );
    return isInformation ? this.#found("unavailable", "tones") : [];
  }

  /** A beep is known once quiet follows it; the tones of a network come one upon the other, and before any words. */
  #beepOver(isQuiet: boolean): WhoEvent[] {
    const last = this.#tones.at(-1);
    if (!isQuiet || !last || this.#sinceTone_ms !== BEEP_OVER_MS) return [];
    const { hz } = last;
    this.#tones = [];
    const couldRecord =
      this.#by !== "fax" && this.#by !== "unavailable" && this.#voice_ms >= SHORTEST_WORD_MS;
    if (!couldRecord || hz < BEEP_HZ[0] || hz > BEEP_HZ[1]) return [];
    return [...this.#found("voicemail", "beep"), { type: "beep" }];
  }

  #takeVoice(isSound: boolean, isTone: boolean): WhoEvent[] {
    if (this.#by === "unavailable" || this.#by === "fax") return [];
    if (isSound && !isTone) {
      this.#voice_ms += FRAME_MS + (this.#voice_ms > 0 ? this.#pause_ms : 0);
      this.#pause_ms = 0;
      const isLong = this.#voice_ms > LONGEST_HELLO_MS && this.#by === null && !this.#isAnswered;
      return isLong ? this.#found("voicemail", "cadence") : [];
    }
    this.#pause_ms += FRAME_MS;
    if (this.#by !== null || this.#isAnswered) return [];
    if (this.#voice_ms < SHORTEST_WORD_MS) {
      if (this.#pause_ms > ANSWER_PAUSE_MS) this.#voice_ms = 0;
      return this.#elapsed_ms >= SILENT_MS ? this.#found("silence", "silence") : [];
    }
    return !isTone && this.#pause_ms >= ANSWER_PAUSE_MS ? this.#found("human", "cadence") : [];
  }

  /** The first word counts, but for a person whom tones show to be a machine. */
  #found(by: Who, reason: Extract<WhoEvent, { type: "answered" }>["reason"]): WhoEvent[] {
    const corrects = this.#by === "human" || this.#by === "silence";
    if (this.#by === by || (this.#by !== null && !corrects)) return [];
    this.#by = by;
    return [{ type: "answered", by, reason }];
  }
}

/** The one frequency of a frame; null where there are several, or none. */
function pureTone(frame: Int16Array, rate: number): number | null {
  // Of a sine, x(n-1) + x(n+1) = 2·cos(ω)·x(n): the best ω, by least squares, then the strongest close to it.
  let product = 0;
  let power = 0;
  for (let at = 1; at < frame.length - 1; at++) {
    const sample = frame[at] as number;
    product += sample * ((frame[at - 1] as number) + (frame[at + 1] as number));
    power += sample * sample;
  }
  if (power === 0) return null;
  const guess = (Math.acos(Math.max(-1, Math.min(1, product / power / 2))) * rate) / (2 * Math.PI);
  if (guess < BEEP_HZ[0] - 40 || guess > BEEP_HZ[1] + 40) return null;
  let best = { hz: guess, share: 0 };
  for (let hz = guess - 60; hz <= guess + 60; hz += 10) {
    const share = shareOfTone(frame, hz, rate);
    if (share > best.share) best = { hz, share };
  }
  return best.share >= PURE ? best.hz : null;
}
