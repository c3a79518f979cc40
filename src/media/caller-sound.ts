import { FRAME_MS } from "../audio/frames.ts";
import { level_dbfs } from "../audio/level.ts";

/*
 * What a caller's microphone says before any engine has judged it: that something begins to sound, that a voice is farther
 * away than the caller's own, that it is hummed with a closed mouth. Fed frame by frame; keeps no audio.
 */

export type SoundState = {
  /** Something louder than the room sounds. A voice is known 100 ms later. */
  stirs: boolean;
  /** The voice that sounds, or sounded last, is much quieter than the caller's: people in the background. */
  far: boolean;
  /** All of the voice so far is a hum, such as "mm-hm": nothing of it is high. */
  hums: boolean;
};

/** A frame so loud is no room. */
const LEAST_DBFS = -50;
/** So much above the room's noise something stirs. */
const ABOVE_ROOM_DB = 12;
/** The room's level follows a louder one by so much a frame, and a quieter one at once. */
const ROOM_RISE_DB = 0.1;
/** Background voices are at least so much below the caller's. */
const FAR_DB = 7;
/** Of a hum, what is left above 700 Hz is at least so much quieter. */
const HUM_DB = 19.5;
const HUM_HZ = 700;
/** A voice is judged by so many frames of it, at least. */
const LEAST_FRAMES = 6;
/** Frames before a voice was noticed that belong to it. */
const BEFORE = 6;
/** A voice that doesn't end, such as a television, is judged by its last five seconds: each frame looks at all of them. */
const MOST_FRAMES = 5_000 / FRAME_MS;
const LEVEL_WEIGHT = 0.3;

type FrameLevel = { level: number; high: number };

export class CallerSound {
  readonly #keep: number;
  #last = 0;
  #smooth = 0;
  #room = LEAST_DBFS;
  #recent: FrameLevel[] = [];
  /** Of the voice that sounds, or sounded last; null: none has. */
  #voice: FrameLevel[] | null = null;
  #speaks = false;
  /** Of what they said in their turns; null: nothing yet. */
  #caller: number | null = null;
  #state: SoundState = { stirs: false, far: false, hums: false };

  constructor(rate: number) {
    this.#keep = Math.exp((-2 * Math.PI * HUM_HZ) / rate);
  }

  get state(): SoundState {
    return this.#state;
  }

  /** Returns whether the state has changed. */
  push(frame: Int16Array): boolean {
    const level = level_dbfs(frame);
    const one = { level, high: level_dbfs(this.#highOf(frame)) };
    this.#recent = [...this.#recent, one].slice(-BEFORE);
    if (this.#speaks) this.#voice = [...(this.#voice ?? []), one].slice(-MOST_FRAMES);
    const stirs = level > Math.max(LEAST_DBFS, this.#room + ABOVE_ROOM_DB);
    this.#room = level < this.#room ? Math.max(level, -90) : this.#room + ROOM_RISE_DB;
    const { far, hums } = this.#speaks ? this.#judgeVoice() : this.#state;
    const changed = stirs !== this.#state.stirs || far !== this.#state.far || hums !== this.#state.hums;
    this.#state = { stirs, far, hums };
    return changed;
  }

  /** A voice begins, or has ended so long ago: frames since then are none of it. */
  voice(speaks: boolean, ago_ms = 0): void {
    this.#speaks = speaks;
    if (speaks) {
      this.#voice = [...this.#recent];
      return;
    }
    const since = Math.round(ago_ms / FRAME_MS);
    this.#voice = this.#voice?.slice(0, Math.max(0, this.#voice.length - since)) ?? null;
    this.#state = { ...this.#state, ...this.#judgeVoice() };
  }

  /** The voice was the caller's: it took a turn. */
  isCallers(): void {
    const level = loudness(this.#voice ?? []);
    if (level === null) return;
    this.#caller = this.#caller === null ? level : this.#caller + LEVEL_WEIGHT * (level - this.#caller);
  }

  #judgeVoice(): { far: boolean; hums: boolean } {
    const voice = this.#voice;
    if (!voice || voice.length < LEAST_FRAMES) return this.#state;
    const level = loudness(voice) ?? 0;
    const far = this.#caller !== null && level < this.#caller - FAR_DB;
    const high = loudness(voice.map((one) => ({ level: one.high, high: 0 }))) ?? 0;
    return { far, hums: level - high > HUM_DB };
  }

  /** What is above `HUM_HZ`, by two steps of a first-order filter. */
  #highOf(frame: Int16Array): Int16Array {
    const result = new Int16Array(frame.length);
    for (let at = 0; at < frame.length; at++) {
      const sample = frame[at] as number;
      this.#smooth = this.#smooth * this.#keep + sample * (1 - this.#keep);
      const high = sample - this.#smooth;
      this.#last = this.#last * this.#keep + high * (1 - this.#keep);
      result[at] = high - this.#last;
    }
    return result;
  }
}

/** The level of the loudest quarter of the frames, which pauses and soft beginnings don't lower. */
function loudness(frames: readonly FrameLevel[]): number | null {
  if (frames.length === 0) return null;
  const levels = frames.map(({ level }) => level).sort((a, b) => b - a);
  const loudest = levels.slice(0, Math.max(3, Math.ceil(levels.length / 4)));
  return loudest.reduce((sum, level) => sum + level, 0) / loudest.length;
}
