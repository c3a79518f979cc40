import type { Speaking, SpokenAudio, Utterance } from "./speaking.ts";

/*
 * Speech that was made is kept for a while: greetings, bridge phrases and answers that come again, and sentences that were
 * made before it was known that they would be said. Made once, even where two lines ask for it at the same time.
 */

/** Longer texts rarely come again. */
const MOST_CHARACTERS = 300;
/** Of a text that is made beforehand, such as a greeting. */
const MOST_CHARACTERS_BEFOREHAND = 2000;
/** Texts that are being made beforehand at once. */
const MOST_MAKING = 50;
const MAKING_MS = 30_000;

type Kept = {
  parts: SpokenAudio[];
  bytes: number;
  isWhole: boolean;
  failure: unknown;
  /** No line was charged for it yet. */
  isUnpaid: boolean;
  changed: PromiseWithResolvers<void>;
};

const newKept = (isUnpaid: boolean): Kept => ({
  parts: [],
  bytes: 0,
  isWhole: false,
  failure: null,
  isUnpaid,
  changed: Promise.withResolvers<void>(),
});

/** The audio of several engines, told apart by `scope`. The least recently said is let go beyond `most_bytes`. */
export class SpeechStore {
  readonly #most_bytes: number;
  readonly #kept = new Map<string, Kept>();
  readonly #beforehand = new Map<string, Kept>();
  readonly #making = new Map<string, Promise<void>>();
  #bytes = 0;

  constructor(most_bytes = 16_000_000) {
    this.#most_bytes = most_bytes;
  }

  /** Kept, or being made beforehand. */
  find(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return this.#beforehand.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  has = (key: string): boolean => this.#kept.has(key) || this.#beforehand.has(key);

  keep(key: string, made: Kept): void {
    if (made.bytes > this.#most_bytes || this.#kept.has(key)) return;
    this.#kept.set(key, made);
    this.#bytes += made.bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#most_bytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }

  /** Resolves when whoever makes it for a line is done. */
  making = (key: string): Promise<void> | undefined => this.#making.get(key);

  /** A line makes it. Returns what says that this is over. */
  begin(key: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#making.set(key, promise);
    return () => {
      if (this.#making.get(key) === promise) this.#making.delete(key);
      resolve();
    };
  }

  /**
   * Makes it before a line asks for it; lines that ask meanwhile get its parts as they come. Speech that `signal` has stopped
   * ends without an error, and is not whole.
   */
  async makeBeforehand(key: string, speech: AsyncIterable<SpokenAudio>, signal: AbortSignal): Promise<void> {
    if (this.has(key) || this.#making.has(key) || this.#beforehand.size >= MOST_MAKING) return;
    const made = newKept(true);
    this.#beforehand.set(key, made);
    try {
      for await (const part of speech) {
        addPart(made, part);
        announce(made);
      }
      signal.throwIfAborted();
      made.isWhole = true;
      this.keep(key, made);
    } catch (error) {
      made.failure = error;
      throw error;
    } finally {
      this.#beforehand.delete(key);
      announce(made);
    }
  }
}

function addPart(made: Kept, part: SpokenAudio): void {
  made.parts.push(part);
  made.bytes += part.samples.byteLength;
}

function announce(made: Kept): void {
  made.changed.resolve();
  made.changed = Promise.withResolvers();
}

type Keeping = {
  store?: SpeechStore;
  /** Whose voice it is: another account or engine has others. */
  scope?: string;
  /** Keeps what was made beforehand and nothing else: of a service, whose speech has a price. */
  only_beforehand?: boolean;
  /** What is made beforehand takes no longer. */
  making_ms?: number;
};

export function keepingSpeech(
  speaking: Speaking,
  { store = new SpeechStore(), scope = "", only_beforehand = false, making_ms = MAKING_MS }: Keeping = {},
): Speaking {
  const keyOf = ({ text, language, voice, speed }: Utterance) =>
    JSON.stringify([scope, text, language, voice, speed]);

  async function* make(utterance: Utterance, key: string, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const made = newKept(false);
    const over = store.begin(key);
    try {
      for await (const part of speaking.speak(utterance, signal)) {
        addPart(made, part);
        yield part;
      }
      made.isWhole = true;
      if (!signal.aborted) store.keep(key, made);
    } finally {
      over();
    }
  }

  async function* follow(made: Kept, utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const isCharged = made.isUnpaid;
    made.isUnpaid = false;
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    for (let at = 0; !signal.aborted; ) {
      const part = made.parts[at];
      if (part) {
        at++;
        yield isCharged ? part : { ...part, isKept: true };
      } else if (made.isWhole) return;
      else if (made.failure !== null && at === 0) return yield* speaking.speak(utterance, signal);
      else if (made.failure !== null) throw made.failure;
      else await Promise.race([made.changed.promise, aborted]);
    }
  }

  async function* speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<SpokenAudio> {
    const key = keyOf(utterance);
    for (let busy = store.making(key); busy; busy = store.making(key)) await busy;
    if (signal.aborted) return;
    const known = store.find(key);
    if (known) return yield* follow(known, utterance, signal);
    if (only_beforehand || utterance.text.length > MOST_CHARACTERS)
      return yield* speaking.speak(utterance, signal);
    yield* make(utterance, key, signal);
  }

  return {
    ...speaking,
    ...(!only_beforehand && { keeps: true as const }),
    speak,
    beforehand: {
      has: (utterance) => store.has(keyOf(utterance)),
      async make(utterance) {
        if (utterance.text.length > MOST_CHARACTERS_BEFOREHAND) return;
        const signal = AbortSignal.timeout(making_ms);
        await store.makeBeforehand(keyOf(utterance), speaking.speak(utterance, signal), signal);
      },
    },
  };
}
