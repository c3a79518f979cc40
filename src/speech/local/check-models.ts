import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Fault } from "../../base/errors.ts";
import { checksumOf, type HearingModel, type SpeakingModel, weightsOf } from "./speech-models.ts";

const TRY = fileURLToPath(new URL("try-model.ts", import.meta.url));
/** A large model on a slow disk. */
const LOADING_MS = 180_000;

/**
 * Loads the model in a process of its own, since the native code ends the process where it can't read a file. Resolves with
 * what it is and the checksums of its weights; rejects with why it can't be used.
 */
export async function checkModel(model: HearingModel | SpeakingModel): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, [TRY, JSON.stringify(model)], {
      timeout: LOADING_MS,
      env: {},
    });
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? "").trim();
    const why = said.split("\n").find((line) => /fail|error|not/i.test(line)) ?? "it can't be loaded";
    throw new Fault(
      "unavailable",
      `SPEECH_MODELS: the model in ${model.folder} can't be used: ${why.trim().slice(0, 300)}`,
    );
  }
  const sums = await Promise.all(
    weightsOf(model).map(async (file) => `${path.basename(file)} ${await checksumOf(file)}`),
  );
  const does = "encoder" in model ? "hears" : "speaks";
  return `${model.kind} ${does} ${model.language}, ${model.folder} (SHA-256: ${sums.join(", ")})`;
}
