import { errorText } from "../base/errors.ts";

/** While the database is away, what is tried again fails with the same words, as often as every half second. */
export const TELL_AGAIN_MS = 60_000;

/** The fault of something that is tried again and again: told when it begins, when its words change, and once a minute. */
export class RepeatedFault {
  readonly #tell: (words: string) => void;
  readonly #now_ms: () => number;
  #told: { kind: string; at: number } | null = null;

  constructor(tell: (words: string) => void, now_ms = () => performance.now()) {
    this.#tell = tell;
    this.#now_ms = now_ms;
  }

  /** `kind`: what makes two faults the same, where their words name another file each time. */
  failed(error: unknown, kind = errorText(error)): void {
    const now = this.#now_ms();
    if (this.#told?.kind === kind && now < this.#told.at + TELL_AGAIN_MS) return;
    this.#told = { kind, at: now };
    this.#tell(errorText(error));
  }

  /** Resets it, so that the next fault is logged. Returns whether one was logged since it last worked. */
  worked(): boolean {
    const wasTold = this.#told !== null;
    this.#told = null;
    return wasTold;
  }
}
