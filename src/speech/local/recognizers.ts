import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ListeningFor } from "../hearing.ts";
import { languageModel } from "./language-model.ts";
import { loadSphinx, type Recognizer, type SphinxFiles } from "./sphinx.ts";

export type TakenRecognizer = Omit<Recognizer, "forget" | "free"> & { giveBack(): void };
export type Recognizers = { take(listening: ListeningFor): TakenRecognizer };

/** `forget` makes of it what it was before anybody was heard: nothing of a caller stays for the next one. */
type Made = { recognizer: Recognizer; forget(): void };

/** Recognizers nobody uses are kept for the next call of the same agent: making one takes a quarter of a second. */
const MOST_IDLE = 4;

/** Each is made for what is likely to be said on its line. */
export function recognizers(files: SphinxFiles): Recognizers {
  const sphinx = loadSphinx(files);
  const sounds = readDictionary(files.dictionary);
  const idle: { key: string; made: Made }[] = [];

  const make = (expected: readonly string[]): Made => {
    const model = languageModel(expected, (word) => sounds.has(word));
    const words = [...model.matchAll(/^\S+ ([a-z']+)(?: \S+)?$/gm)].map(([, word]) => word as string);
    const dictionary = words.flatMap((word) => sounds.get(word) ?? []).join("\n");
    const folder = path.join(tmpdir(), `parley-ear-${randomUUID()}`);
    const files = { lm: path.join(folder, "words.lm"), dictionary: path.join(folder, "words.dict") };
    const withFiles = <T>(run: () => T): T => {
      mkdirSync(folder, { mode: 0o700 });
      try {
        writeFileSync(files.lm, model);
        writeFileSync(files.dictionary, `${dictionary}\n`);
        return run();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    };
    const recognizer = withFiles(() => sphinx.recognizer(files));
    return { recognizer, forget: () => withFiles(recognizer.forget) };
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
    take({ expected }) {
      const key = createHash("sha256").update(JSON.stringify(expected)).digest("hex");
      const at = idle.findIndex((entry) => entry.key === key);
      const made = idle.splice(at, at < 0 ? 0 : 1)[0]?.made ?? make(expected);
      const { begin, push, end } = made.recognizer;
      return { begin, push, end, giveBack: () => keep(key, made) };
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
