import { level_dbfs } from "../../audio/level.ts";

/*
 * Where a voice ended. Voice detection notices it late: 140 to 200 ms after the last sound of a clear voice, which a caller
 * would hear as a slower answer. The level tells it exactly where the room is quiet; in a loud room nothing is corrected.
 */

/** Frames this far below the voice's loudest are no part of it. */
const BELOW_VOICE_DB = 30;
/** Quieter than this nothing is a voice. */
const LEAST_DBFS = -55;
/** A voice is not taken to have ended longer than this before voice detection says. */
const LOOK_BACK_MS = 240;

type FrameLevel = { ends_at: number; level: number };

export class VoiceEnd {
  #recent: FrameLevel[] = [];
  #loudest = Number.NEGATIVE_INFINITY;

  /** `ends_at`: milliseconds of audio up to the end of this frame. */
  push(frame: Int16Array, ends_at: number): void {
    const level = level_dbfs(frame);
    this.#loudest = Math.max(this.#loudest, level);
    this.#recent.push({ ends_at, level });
    while ((this.#recent[0] as FrameLevel).ends_at < ends_at - 2 * LOOK_BACK_MS) this.#recent.shift();
  }

  /** A voice begins: only its own frames count, and the last few, which it began in. */
  begin(): void {
    this.#loudest = Math.max(...this.#recent.map(({ level }) => level));
  }

  /** The end of the last frame with the voice in it; `noticed_at`: the end that voice detection tells. */
  endBefore(noticed_at: number): number {
    const least = Math.max(LEAST_DBFS, this.#loudest - BELOW_VOICE_DB);
    const last = this.#recent.findLast(({ ends_at, level }) => ends_at <= noticed_at && level > least);
    return Math.max(noticed_at - LOOK_BACK_MS, Math.min(noticed_at, last?.ends_at ?? noticed_at));
  }
}
