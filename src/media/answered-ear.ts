import type { CallInput } from "../channels/call-socket.ts";
import { AfterBeep, type BeepOver } from "./after-beep.ts";
import { AnsweredBy, type AnsweredVerdict } from "./answered-by.ts";

export type AnsweredReport =
  | ({ type: "answered" } & AnsweredVerdict)
  /** A message that waited for the beep begins. */
  | ({ type: "recording" } & BeepOver);

type Parts = {
  tell(input: CallInput): void;
  report(report: AnsweredReport): void;
  /** What waited for the beep may be said. */
  recording(): void;
};

/** The part of a line that finds out who answered, and when a voicemail records. */
export class AnsweredEar {
  readonly #by: AnsweredBy;
  readonly #beep = new AfterBeep();
  readonly #parts: Parts;

  constructor(rate: number, parts: Parts) {
    this.#by = new AnsweredBy(rate);
    this.#parts = parts;
  }

  hear(frame: Int16Array): void {
    const { verdicts, beep } = this.#by.hear(frame);
    this.#tell(verdicts);
    const over = this.#beep.frame({ beep, quiet_ms: this.#by.quiet_ms });
    if (!over) return;
    this.#parts.report({ type: "recording", ...over });
    this.#parts.recording();
  }

  words(text: string): void {
    this.#tell(this.#by.words(text));
  }

  weSpeak(): void {
    this.#by.weSpeak();
  }

  awaitBeep(): void {
    this.#beep.wait();
  }

  get isAwaitingBeep(): boolean {
    return this.#beep.isWaiting;
  }

  #tell(verdicts: AnsweredVerdict[]): void {
    for (const verdict of verdicts) {
      this.#parts.report({ type: "answered", ...verdict });
      this.#parts.tell({ type: "answerer", by: verdict.by, firm: verdict.reason !== "cadence" });
    }
  }
}
