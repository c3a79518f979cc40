import { WhoAnswered } from "../audio/who-answered.ts";
import type { AnsweredKind } from "../channels/call-socket.ts";
import { announcesRecording, machineWords } from "./words/answering-words.ts";

/*
 * Who answered our call, by sound and words together. Nothing waits for it: each verdict is told when it is known, and
 * again where what follows corrects it. Pure; its time is that of the audio.
 */

export type AnsweredVerdict = {
  by: AnsweredKind;
  reason: "cadence" | "beep" | "tones" | "silence" | "words";
  /** Since the line was opened. */
  after_ms: number;
};

type Told = { verdicts: AnsweredVerdict[]; beep: boolean };

const FRAME_MS = 20;
/** Later words belong to the conversation. */
const LISTENS_MS = 60_000;

export class AnsweredBy {
  readonly #sound: WhoAnswered;
  #elapsed_ms = 0;
  #verdict: AnsweredVerdict | null = null;
  #weSpoke = false;

  constructor(rate: number) {
    this.#sound = new WhoAnswered(rate);
  }

  /** How long no voice has been heard. */
  get quiet_ms(): number {
    return this.#sound.quiet_ms;
  }

  /** 20 ms of the other side. */
  hear(frame: Int16Array): Told {
    this.#elapsed_ms += FRAME_MS;
    const events = this.#sound.push(frame);
    const verdicts = events.flatMap((event) => {
      if (event.type === "beep") return [];
      const by = event.by === "silence" ? "unknown" : event.by;
      return this.#found({ by, reason: event.reason, after_ms: this.#elapsed_ms });
    });
    return { verdicts, beep: events.some(({ type }) => type === "beep") };
  }

  /** What they say, as recognized so far. */
  words(text: string): AnsweredVerdict[] {
    if (this.#elapsed_ms > LISTENS_MS) return [];
    const by = machineWords(text);
    // A person may say "leave a message" in answer to us; nobody but a machine speaks of its tone.
    if (by === null || (this.#weSpoke && by === "voicemail" && !announcesRecording(text))) return [];
    return this.#found({ by, reason: "words", after_ms: this.#elapsed_ms });
  }

  weSpeak(): void {
    this.#weSpoke = true;
    this.#sound.weSpeak();
  }

  #found(verdict: AnsweredVerdict): AnsweredVerdict[] {
    if (!corrects(verdict, this.#verdict)) return [];
    this.#verdict = verdict;
    return [verdict];
  }
}

/** Tones and a beep are beyond doubt, words are better than cadence, and who was a voicemail stays one. */
function corrects(now: AnsweredVerdict, before: AnsweredVerdict | null): boolean {
  if (before === null) return true;
  if (before.reason === "tones" || before.reason === "beep") return false;
  const isSame = before.by === now.by;
  if (now.reason === "tones" || now.reason === "beep") return !isSame || before.reason === "cadence";
  if (now.reason !== "words") return before.by === "unknown" && !isSame;
  if (isSame) return before.reason !== "words";
  return before.by !== "voicemail" || before.reason === "cadence";
}
