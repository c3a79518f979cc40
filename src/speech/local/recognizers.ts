import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ListeningFor } from "../hearing.ts";
import { languageModel } from "./language-model.ts";
import { loadSphinx, type Recognizer, type SphinxFiles } from "./sphinx.ts";

export type TakenRecognizer = Omit<Recognizer, "free"> & { giveBack(): void };
export type Recognizers = { take(listening: ListeningFor): TakenRecognizer };

/** Recognizers nobody uses are kept for the next call of the same agent: making one takes a quarter of a second. */
const MOST_IDLE = 4;

/** Each is made for what is likely to be said on its line. */
export function recognizers(files: SphinxFiles): Recognizers {
  const sphinx = loadSphinx(files);
  const sounds = readDictionary(files.dictionary);
  const idle: { key: string; recognizer: Recognizer }[] = [];

  const make = (expected: readonly string[]): Recognizer => {
    const model = languageModel(expected, (word) => sounds.has(word));
    const folder = mkdtempSync(path.join(tmpdir(), "parley-ear-"));
    try {
      const lm = path.join(folder, "words.lm");
      const dictionary = path.join(folder, "words.dict");
      const words = [...model.matchAll(/^\S+ ([a-z']+)(?: \S+)?$/gm)].map(([, word]) => word as string);
      writeFileSync(lm, model);
      writeFileSync(dictionary, `${words.flatMap((word) => sounds.get(word) ?? []).join("\n")}\n`);
      return sphinx.recognizer({ lm, dictionary });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  return {
    take({ expected }) {
      const key = createHash("sha256").update(JSON.stringify(expected)).digest("hex");
      const at = idle.findIndex((entry) => entry.key === key);
      const recognizer =
        at < 0 ? make(expected) : (idle.splice(at, 1)[0] as { recognizer: Recognizer }).recognizer;
      const giveBack = () => {
        idle.push({ key, recognizer });
        if (idle.length > MOST_IDLE) idle.shift()?.recognizer.free();
      };
      return { begin: recognizer.begin, push: recognizer.push, end: recognizer.end, giveBack };
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
