import { FRAME_MS, Framer, frameLength } from "../audio/frames.ts";
import { fadeIn } from "../audio/level.ts";
import { type Aligned, Playout } from "../audio/playout.ts";
import { Resampler } from "../audio/resample.ts";
import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Speaking, Utterance } from "../speech/speaking.ts";
import type { AudioLine } from "./audio-line.ts";
import { PlayClock } from "./play-clock.ts";

/** Audio is sent this far ahead, so that network jitter is not heard and an interruption still takes effect at once. */
const AHEAD_MS = 300;

type Piece = {
  id: number;
  utterance: Utterance | null;
  text: string;
  interruptible: boolean;
  frames: Int16Array[];
  aligned: Aligned[];
  whole: boolean;
  /** Number of frames sent. */
  sent: number;
};

type SpeakerReports = {
  /** The first frame of speech was sent, or the last was heard. `asks`: it ends with a question. */
  playing(playing: boolean, piece: { interruptible: boolean; asks: boolean } | null): void;
  /** Everything said so far was heard to its end; `unsaid`: but for what the voice failed at. */
  played(how: { unsaid: boolean }): void;
  fault(message: string): void;
};

/**
 * Speaks on a line, piece after piece: a piece is synthesized while the one before it plays. Tracks what was heard, can stop
 * in the middle of a word, and continue from the word's beginning.
 */
export class LineSpeaker {
  readonly #parts: { clock: Clock; line: AudioLine; speaking: Speaking; reports: SpeakerReports };
  readonly #playout: Playout;
  readonly #played: PlayClock;
  readonly #frame: number;
  #pieces: Piece[] = [];
  #ids = 0;
  #making: AbortController | null = null;
  #isHeld = false;
  /** What was heard of the current words, since everything was last heard to its end. */
  #heard: string[] = [];
  /** The word that was cut off, which counts as heard unless it is spoken again. */
  #cutWord = "";
  #isPlaying = false;
  /** Words were given, and it was not told yet that they are over. */
  #isOwed = false;
  /** The voice failed at some of them. */
  #isUnsaid = false;
  /** A looped sound that fills a wait; any words end it. */
  #loop: { frames: Int16Array[]; next: number } | null = null;
  #wake: (() => void) | null = null;

  constructor(parts: { clock: Clock; line: AudioLine; speaking: Speaking; reports: SpeakerReports }) {
    this.#parts = parts;
    this.#playout = new Playout(parts.line.rate);
    this.#played = new PlayClock({ ...parts, playout: this.#playout });
    this.#frame = frameLength(parts.line.rate);
  }

  say(utterance: Utterance, interruptible: boolean): void {
    this.#loop = null;
    if (utterance.text.trim() === "") return;
    this.#isOwed = true;
    this.#add({ utterance, text: utterance.text, interruptible, frames: [], whole: false });
    this.#make();
  }

  /** A sound between words, such as keys: samples at the line's rate. */
  sound(samples: Int16Array): void {
    this.#add({
      utterance: null,
      text: "",
      interruptible: false,
      frames: framed(samples, this.#parts.line.rate),
      whole: true,
    });
    this.#pump();
  }

  /** Repeats a sound until something is said. */
  loop(samples: Int16Array): void {
    this.#loop = { frames: framed(samples, this.#parts.line.rate), next: 0 };
    this.#pump();
  }

  endLoop(): void {
    if (this.#loop) this.#parts.line.clear();
    this.#loop = null;
  }

  /** Stops speaking at once and computes what was heard; the rest waits. */
  hold(): void {
    if (this.#isHeld) return;
    this.#played.catchUp();
    this.#isHeld = true;
    this.#cutWord = "";
    for (const { id, text, whole } of this.#playout.heard()) {
      const piece = this.#pieces.find((candidate) => candidate.id === id);
      if (!piece) continue;
      if (whole) this.#finish(piece);
      else this.#cut(piece, text);
    }
    this.#playout.stop();
    this.#parts.line.clear();
    this.#played.interrupt();
    this.#wake?.();
    this.#wake = null;
  }

  /** Continues from the beginning of the word that was cut off. */
  goOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#cutWord = "";
    this.#pump();
  }

  /** Discards what was not heard. Returns the words heard since everything was last heard to its end. */
  drop(): string {
    this.hold();
    this.#isHeld = false;
    const heard = [...this.#heard, this.#cutWord].filter((text) => text !== "").join(" ");
    this.#making?.abort();
    this.#making = null;
    this.#pieces = [];
    this.#heard = [];
    this.#cutWord = "";
    this.#isPlaying = false;
    this.#isOwed = false;
    this.#isUnsaid = false;
    return heard;
  }

  /** A mark came back. */
  marked(name: string): void {
    if (this.#played.marked(name)) this.#settle();
  }

  close(): void {
    this.drop();
    this.#loop = null;
    this.#wake?.();
    this.#wake = null;
  }

  #add(piece: Omit<Piece, "id" | "aligned" | "sent">): void {
    this.#pieces.push({ ...piece, id: ++this.#ids, aligned: [], sent: 0 });
  }

  /** What is left of a piece, from the word that was being said; `heard` counts it where most of it was. */
  #cut(piece: Piece, heard: string): void {
    const { character, sample } = this.#playout.cutOf(piece.id);
    const frame = Math.min(piece.sent, Math.floor(sample / this.#frame));
    const before = piece.text.slice(0, character).trimEnd();
    if (before !== "") this.#heard.push(before);
    this.#cutWord = heard.slice(character).trim();
    piece.text = piece.text.slice(character);
    piece.aligned = piece.aligned
      .filter(({ to }) => to > character)
      .map((span) => ({
        from: span.from - character,
        to: span.to - character,
        begins: span.begins - frame * this.#frame,
        ends: span.ends - frame * this.#frame,
      }));
    piece.frames = piece.frames.slice(frame);
    const [first] = piece.frames;
    if (first && frame > 0) piece.frames[0] = fadeIn(first, this.#frame);
    piece.sent = 0;
  }

  #finish(piece: Piece): void {
    this.#pieces = this.#pieces.filter((other) => other !== piece);
    if (piece.text !== "") this.#heard.push(piece.text);
  }

  /** Makes the first piece that is not whole; the others follow in order. */
  #make(): void {
    if (this.#making) return;
    const piece = this.#pieces.find(({ whole }) => !whole);
    if (!piece?.utterance) return;
    const control = new AbortController();
    this.#making = control;
    this.#speak(piece, piece.utterance, control.signal)
      .catch((error) => {
        if (control.signal.aborted) return;
        this.#isUnsaid = true;
        this.#parts.reports.fault(errorText(error));
      })
      .finally(() => {
        if (control.signal.aborted) return;
        piece.whole = true;
        this.#expectLength(piece);
        this.#making = null;
        this.#endIfSent(piece);
        this.#make();
        this.#pump();
      });
  }

  async #speak(piece: Piece, utterance: Utterance, signal: AbortSignal): Promise<void> {
    const { speaking, line } = this.#parts;
    const resampler = speaking.rate === line.rate ? null : new Resampler(speaking.rate, line.rate);
    const framer = new Framer(line.rate);
    const scale = line.rate / speaking.rate;
    for await (const { samples, aligned } of speaking.speak(utterance, signal)) {
      if (signal.aborted) return;
      piece.frames.push(...framer.push(resampler ? resampler.push(samples) : samples));
      piece.aligned.push(
        ...aligned.map((span) => ({ ...span, begins: span.begins * scale, ends: span.ends * scale })),
      );
      this.#pump();
    }
    if (resampler) piece.frames.push(...framer.push(resampler.flush()));
    const rest = framer.flush();
    if (rest) piece.frames.push(rest);
  }

  /** Sends what is due, and comes back for the rest. */
  #pump(): void {
    if (this.#isHeld) return;
    this.#played.catchUp();
    while (this.#played.ahead_ms < AHEAD_MS && this.#sendFrame());
    this.#settle();
    const isIdle = this.#pieces.length === 0 && this.#loop === null;
    if (isIdle || this.#wake) return;
    const { clock } = this.#parts;
    this.#wake = clock.wakeAt(new Date(clock.now().getTime() + FRAME_MS), () => {
      this.#wake = null;
      this.#pump();
    });
  }

  #sendFrame(): boolean {
    const { line } = this.#parts;
    // Until a piece is whole, the next one waits.
    const piece = this.#pieces.find(({ frames, sent, whole }) => sent < frames.length || !whole);
    const frame = piece?.frames[piece.sent];
    if (!piece || !frame) return this.#sendLoop();
    this.#played.begin();
    if (piece.sent === 0) {
      this.#beginPiece(piece);
      // Whoever was told of it, while a caller speaks, has stopped it again.
      if (this.#isHeld || !this.#pieces.includes(piece)) return false;
    }
    line.play(frame);
    piece.sent++;
    this.#playout.write(frame.length);
    this.#playout.send(frame.length);
    this.#played.markIfDue();
    this.#endIfSent(piece);
    return true;
  }

  /** A piece that is whole, though not yet sent, has a known length: its words are heard where they sound. */
  #expectLength(piece: Piece): void {
    if (piece.whole) this.#playout.expect(piece.id, piece.frames.length * this.#frame);
  }

  /** A piece's end is known with its last frame, or later; one that has no sound is over at once. */
  #endIfSent(piece: Piece): void {
    if (!piece.whole || piece.sent < piece.frames.length) return;
    if (piece.frames.length === 0) {
      this.#pieces = this.#pieces.filter((other) => other !== piece);
      return;
    }
    this.#playout.end();
    this.#played.mark();
  }

  #beginPiece(piece: Piece): void {
    this.#playout.begin(piece.id, piece.text, piece.aligned);
    this.#expectLength(piece);
    this.#isPlaying = true;
    this.#parts.reports.playing(true, {
      interruptible: piece.interruptible,
      asks: /[?？؟]\s*$/.test(piece.text),
    });
  }

  /** A loop belongs to no piece, and nobody asks what of it was heard. */
  #sendLoop(): boolean {
    const loop = this.#loop;
    if (!loop || loop.frames.length === 0 || this.#pieces.length > 0) return false;
    this.#played.begin();
    this.#playout.begin(0, "");
    const frame = loop.frames[loop.next % loop.frames.length] as Int16Array;
    loop.next++;
    this.#parts.line.play(frame);
    this.#playout.write(frame.length);
    this.#playout.end();
    this.#playout.send(frame.length);
    this.#playout.play(this.#playout.sent);
    this.#playout.settle();
    return true;
  }

  #settle(): void {
    for (const { id } of this.#playout.settle()) {
      const piece = this.#pieces.find((candidate) => candidate.id === id);
      if (piece) this.#finish(piece);
    }
    const { reports } = this.#parts;
    const wasPlaying = this.#isPlaying;
    // Words that made no sound are over, too: whoever waits for their end would wait for nothing.
    if (this.#pieces.length > 0 || !(wasPlaying || this.#isOwed)) return;
    this.#isPlaying = false;
    this.#isOwed = false;
    const unsaid = this.#isUnsaid;
    this.#isUnsaid = false;
    this.#heard = [];
    this.#played.rest();
    reports.played({ unsaid });
    if (wasPlaying) reports.playing(false, null);
  }
}

/** Filled up with silence to whole frames. */
function framed(samples: Int16Array, rate: number): Int16Array[] {
  const framer = new Framer(rate);
  const frames = framer.push(samples);
  const rest = framer.flush();
  return rest ? [...frames, rest] : frames;
}
