/** Some mailboxes have no beep: so long after the announcement's last word, they record. */
const NO_BEEP_MS = 3000;
/** The longest announcement that a message waits for. */
export const LONGEST_ANNOUNCEMENT_MS = 60_000;

const FRAME_MS = 20;

export type BeepOver = { reason: "beep" | "no-beep" | "too-long"; waited_ms: number };

/** When a message to a voicemail may begin. Pure; its time is that of the audio. */
export class AfterBeep {
  /** A beep was heard, and no voice since. */
  #beeped = false;
  #waited_ms: number | null = null;

  /** Words wait from now on. */
  wait(): void {
    this.#waited_ms ??= 0;
  }

  get isWaiting(): boolean {
    return this.#waited_ms !== null;
  }

  /** After each frame; what it tells, it tells once for each wait. */
  frame({ beep, quiet_ms }: { beep: boolean; quiet_ms: number }): BeepOver | null {
    if (beep) this.#beeped = true;
    else if (quiet_ms === 0) this.#beeped = false;
    if (this.#waited_ms === null) return null;
    this.#waited_ms += FRAME_MS;
    const waited_ms = this.#waited_ms;
    const reason = this.#beeped
      ? "beep"
      : quiet_ms >= NO_BEEP_MS
        ? "no-beep"
        : waited_ms >= LONGEST_ANNOUNCEMENT_MS
          ? "too-long"
          : null;
    if (reason === null) return null;
    this.#waited_ms = null;
    return { reason, waited_ms };
  }
}
