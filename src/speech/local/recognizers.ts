import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { join } from "../../audio/level.ts";
import { HEARING_RATE, type ListeningFor } from "../hearing.ts";
import { isDictated, languageModel } from "./language-model.ts";
import { loadSphinx, type Recognizer, type SphinxFiles } from "./sphinx.ts";

export type TakenRecognizer = Pick<Recognizer, "begin" | "push"> & {
  /** The voice has stopped: what was said may be all. */
  pause?(): void;
  /** Later, of a model that takes its time. */
  end(): string | Promise<string>;
  giveBack(): void;
};
export type Recognizers = {
  take(listening: ListeningFor): TakenRecognizer;
  /** Frees those that nobody uses: their memory is the library's, and outlives the thread. */
  free(): void;
};

/**
 * `forget` makes of it what it was before anybody was heard: nothing of a caller stays for the next one. `hearDigits`: an
 * utterance again, with digits weighed more.
 */
type Made = { recognizer: Recognizer; hearDigits(utterance: Int16Array): string; forget(): void };

/** Recognizers nobody uses are kept for the next call of the same agent: making one takes a quarter of a second. */
const MOST_IDLE = 4;
/** Nobody dictates a number for longer; of longer utterances nothing is kept to be heard again. */
const LONGEST_DICTATION = 30 * HEARING_RATE;

/** Each is made for what is likely to be said on its line. */
export function recognizers(files: SphinxFiles): Recognizers {
  const sphinx = loadSphinx(files);
  const sounds = readDictionary(files.dictionary);
  const idle: { key: string; made: Made }[] = [];

  const make = (expected: readonly string[]): Made => {
    const modelFor = (dictated: boolean) => languageModel(expected, (word) => sounds.has(word), { dictated });
    const model = modelFor(false);
    const words = [...model.matchAll(/^\S+ ([a-z']+)(?: \S+)?$/gm)].map(([, word]) => word as string);
    const dictionary = words.flatMap((word) => sounds.get(word) ?? []).join("\n");
    const folder = path.join(tmpdir(), `parley-ear-${randomUUID()}`);
    const withFiles = <T>(lm: string, run: (files: { lm: string; dictionary: string }) => T): T => {
      mkdirSync(folder, { mode: 0o700 });
      try {
        const files = { lm: path.join(folder, "words.lm"), dictionary: path.join(folder, "words.dict") };
        writeFileSync(files.lm, lm);
        writeFileSync(files.dictionary, `${dictionary}\n`);
        return run(files);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };
    const recognizer = withFiles(model, sphinx.recognizer);
    let weighsDigits = false;
    return {
      recognizer,
      hearDigits: (utterance) => {
        if (!weighsDigits) withFiles(modelFor(true), ({ lm }) => recognizer.addModel(lm));
        weighsDigits = true;
        return recognizer.hearAgain(utterance);
      },
      forget: () => {
        weighsDigits = false;
        withFiles(model, recognizer.forget);
      },
    };
  };

  const keep = (key: string, made: Made): void => {
    try {
      made.forget();
    } catch {
      // The next call of this agent gets a new one.
      made.recognizer.free();
      return;
    }
    idle.push({ key, made });
    if (idle.length > MOST_IDLE) idle.shift()?.made.recognizer.free();
  };

  return {
    free: () => {
      for (const { made } of idle.splice(0)) made.recognizer.free();
    },
    take({ expected }) {
      const key = createHash("sha256").update(JSON.stringify(expected)).digest("hex");
      const at = idle.findIndex((entry) => entry.key === key);
      const made = idle.splice(at, at < 0 ? 0 : 1)[0]?.made ?? make(expected);
      return { ...hearTwice(made), giveBack: () => keep(key, made) };
    },
  };
}

/** What sounds like dictation is heard again at its end, as dictation: digits must not weigh more in what is no number. */
function hearTwice({ recognizer, hearDigits }: Made): Pick<Recognizer, "begin" | "push" | "end"> {
  let utterance: Int16Array[] = [];
  let length = 0;
  return {
    begin: () => {
      [utterance, length] = [[], 0];
      recognizer.begin();
    },
    push: (samples) => {
      length += samples.length;
      if (length <= LONGEST_DICTATION) utterance.push(samples);
      else utterance = [];
      return recognizer.push(samples);
    },
    end: () => {
      const text = recognizer.end();
      const again = utterance.length > 0 && isDictated(text) ? hearDigits(join(utterance)) : text;
      utterance = [];
      return again;
    },
  };
}

/** Each word with the lines that say how it sounds: `word(2)` is a second way. */
function readDictionary(file: string): Map<string, string[]> {
  const sounds = new Map<string, string[]>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [, word] = /^([a-z']+)(?:\(\d+\))?\s/.exec(line) ?? [];
    if (word === undefined) continue;
    sounds.set(word, [...(sounds.get(word) ?? []), line]);
  }
  return sounds;
}
