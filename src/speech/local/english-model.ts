import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

/*
 * Moonshine tiny: recognizes English speech, 28 MB, MIT licence (https://github.com/moonshine-ai/moonshine). Its weights
 * come in a package for browsers, whose other parts and dependencies are not used; what the numbers it writes stand for
 * comes in a tokenizer's package.
 */

/** As the registry names them; `integrity` is that of their archives. */
export const ENGLISH_PACKAGES = {
  weights: {
    name: "@moonshine-ai/moonshine-js",
    version: "0.1.29",
    integrity:
      "sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==",
  },
  tokenizer: {
    name: "llama-tokenizer-js",
    version: "1.2.2",
    integrity:
      "sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==",
  },
} as const;

const WEIGHTS = "dist/model/tiny/quantized";
/** The model knows some more numbers than the tokenizer, which stand for no words. */
const TOKENS = 32_768;
const SPECIAL = 3;

export const englishModelFolder = (data_dir: string): string =>
  path.join(path.resolve(data_dir), "speech", "moonshine-tiny-en");

/** Where `./parley speech-model` has brought it, as a setting of SPEECH_MODELS would name it. */
export const fetchedModels = (data_dir: string): { language: string; folder: string }[] => {
  const folder = englishModelFolder(data_dir);
  return existsSync(folder) ? [{ language: "en", folder }] : [];
};

/** Makes the model's folder, whole or not at all, of the two packages' unpacked folders. */
export async function makeEnglishModel(
  from: { weights: string; tokenizer: string },
  folder: string,
): Promise<void> {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    // Readable by the user that the program runs as.
    const made = path.join(unfinished, "model");
    await mkdir(made, { mode: 0o755 });
    for (const file of ["encoder_model.onnx", "decoder_model_merged.onnx"])
      await cp(path.join(from.weights, WEIGHTS, file), path.join(made, file));
    await cp(path.join(from.weights, "LICENSE"), path.join(made, "LICENSE"));
    await writeFile(path.join(made, "tokens.txt"), await tokensOf(from.tokenizer));
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** A line a token: its bytes in Base64, and its number. */
async function tokensOf(tokenizer: string): Promise<string> {
  const file = pathToFileURL(path.join(tokenizer, "llama-tokenizer.js"));
  const { default: known } = (await import(file.href)) as { default: { vocabById: string[] } };
  const lines = Array.from({ length: TOKENS }, (_, number) => {
    const text = number < SPECIAL ? undefined : known.vocabById[number];
    return `${bytesOf(text ?? `<${number}>`).toString("base64")} ${number}\n`;
  });
  return lines.join("");
}

function bytesOf(token: string): Buffer {
  const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(token) ?? [];
  // The tokenizer's sign for a space.
  return byte === undefined ? Buffer.from(token.replaceAll("\u2581", " ")) : Buffer.from(byte, "hex");
}
