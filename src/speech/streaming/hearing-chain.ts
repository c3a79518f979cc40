import { type Ear, HEARING_RATE, type Heard, type Hearing, type ListeningFor } from "../hearing.ts";

/** What was said and not understood yet is heard again by whoever takes over: 8 s of frames. */
const MOST_KEPT = 400;
/** Of silence, the beginning of a word that voice detection has not told yet: 500 ms. */
const PRE_ROLL = 25;

const MOST_TRIES = 2;
/** Behind the last engine nobody hears: it is opened again more often, until its failing is no accident. */
const MOST_TRIES_OF_LAST = 6;

/**
 * Recognition that goes on where an engine fails: each is tried a second time, then the next takes over and keeps the
 * line. `note` is told each change, for the trace. With none left, the line's ear tells the fault.
 */
export function hearingChain(engines: readonly Hearing[], note: (message: string) => void): Hearing {
  const [first] = engines;
  if (!first) throw new Error("a chain of no engines");
  return {
    name: first.name,
    ...(first.minute_usd !== undefined && { minute_usd: first.minute_usd }),
    open: (listening, tell) => new ChainEar(engines, listening, tell, note),
  };
}

class ChainEar implements Ear {
  readonly #parts: {
    engines: readonly Hearing[];
    listening: ListeningFor;
    tell: (heard: Heard) => void;
    note: (message: string) => void;
  };
  #at = 0;
  /** Of the engine that hears now. */
  #tries = 0;
  #ear: Ear | null = null;
  #kept: Int16Array[] = [];
  #pushed_ms = 0;
  #speaks = false;
  /** Words are on their way, or not final. */
  #owed = false;
  #isClosed = false;
  /** Counts the ears of the line. */
  #number = 0;

  constructor(
    engines: readonly Hearing[],
    listening: ListeningFor,
    tell: (heard: Heard) => void,
    note: (message: string) => void,
  ) {
    this.#parts = { engines, listening, tell, note };
    this.#open();
  }

  push(frame: Int16Array): void {
    if (this.#isClosed) return;
    this.#pushed_ms += length_ms(frame);
    this.#kept.push(frame);
    const most = this.#speaks || this.#owed ? MOST_KEPT : PRE_ROLL;
    if (this.#kept.length > most) this.#kept = this.#kept.slice(-most);
    this.#ear?.push(frame);
  }

  endTurn(): void {
    this.#forget();
    this.#ear?.endTurn?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#ear?.close();
    this.#ear = null;
  }

  #forget(): void {
    this.#owed = false;
    this.#kept = this.#kept.slice(-PRE_ROLL);
  }

  /** What was kept is heard again, by an ear that may fail over it. */
  #open(): void {
    const engine = this.#parts.engines[this.#at] as Hearing;
    const number = ++this.#number;
    this.#tries++;
    // A new ear counts from the first frame it is given, which is the first that was kept.
    const began_ms = this.#kept.reduce((ms, frame) => ms - length_ms(frame), this.#pushed_ms);
    const isCurrent = () => !this.#isClosed && number === this.#number;
    const ear = engine.open(this.#parts.listening, (heard) => {
      // One that was given up may have been about to tell something.
      if (isCurrent()) this.#hear("at_ms" in heard ? { ...heard, at_ms: began_ms + heard.at_ms } : heard);
    });
    if (!isCurrent()) {
      ear.close();
      return;
    }
    this.#ear = ear;
    for (const frame of this.#kept) if (isCurrent()) ear.push(frame);
  }

  #hear(heard: Heard): void {
    if (heard.type === "fault") {
      this.#replace(heard.message);
      return;
    }
    if (heard.type === "speech_started") {
      // Its replacement hears the same voice begin once more.
      if (this.#speaks) return;
      this.#speaks = true;
      this.#owed = true;
    }
    if (heard.type === "speech_stopped") {
      if (!this.#speaks) return;
      this.#speaks = false;
    }
    if (heard.type === "final") this.#forget();
    this.#parts.tell(heard);
  }

  #replace(why: string): void {
    const { engines, tell, note } = this.#parts;
    const failed = engines[this.#at] as Hearing;
    this.#ear?.close();
    this.#ear = null;
    const isLast = this.#at === engines.length - 1;
    if (this.#tries >= (isLast ? MOST_TRIES_OF_LAST : MOST_TRIES)) {
      this.#at++;
      this.#tries = 0;
    }
    const next = engines[this.#at];
    if (!next) {
      this.close();
      // Nobody would tell that the voice has ended, and who waits for the caller's last word waits for ever.
      if (this.#speaks) tell({ type: "speech_stopped", at_ms: this.#pushed_ms });
      tell({ type: "fault", message: `${why}. Nothing else hears on this line.` });
      return;
    }
    note(next === failed ? `${why}. Tried once more.` : `${why}. ${next.name} hears from now on.`);
    this.#open();
  }
}

const length_ms = (frame: Int16Array): number => (frame.length * 1000) / HEARING_RATE;
