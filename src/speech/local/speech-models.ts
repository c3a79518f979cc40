import { createHash } from "node:crypto";
import { createReadStream, readdirSync } from "node:fs";
import path from "node:path";
import { errorText, Fault } from "../../base/errors.ts";

/*
 * Models of sherpa-onnx that the operator brought (SPEECH_MODELS), each a folder as it is published. What a folder holds is
 * told by its files. https://k2-fsa.github.io/sherpa/onnx/pretrained_models/index.html
 */

export type HearingModel = { language: string; folder: string } & (
  | {
      kind: "transducer";
      /** Words come while somebody speaks; otherwise once they have finished. */
      streams: boolean;
      encoder: string;
      decoder: string;
      joiner: string;
      tokens: string;
    }
  | { kind: "whisper"; encoder: string; decoder: string; tokens: string }
  | { kind: "moonshine"; encoder: string; decoder: string; tokens: string }
);
export type SpeakingModel = { language: string; folder: string } & (
  | { kind: "piper"; model: string; tokens: string; dataDir: string }
  | { kind: "kokoro"; model: string; voices: string; tokens: string; dataDir: string }
);
export type SpeechModels = { hearing: HearingModel[]; speaking: SpeakingModel[] };
export const NO_MODELS: SpeechModels = { hearing: [], speaking: [] };

type Given = { language: string; folder: string };

/** Throws with a sentence about each folder that holds no model that is known. */
export function findSpeechModels(given: readonly Given[]): SpeechModels {
  const models: SpeechModels = { hearing: [], speaking: [] };
  const faults: string[] = [];
  for (const one of given) {
    try {
      const found = modelIn(one, readdirSync(one.folder));
      if (found === null)
        faults.push(
          `${one.folder} holds no model that is known: a transducer (encoder, decoder, joiner, tokens.txt), Whisper (encoder, decoder, tokens), Moonshine (encoder, merged decoder, tokens.txt), Piper or Kokoro (model, tokens.txt, espeak-ng-data).`,
        );
      else if ("hears" in found) models.hearing.push(found.hears);
      else models.speaking.push(found.speaks);
    } catch (error) {
      faults.push(`${one.folder} can't be read: ${errorText(error)}`);
    }
  }
  if (faults.length > 0) throw new Fault("unavailable", `SPEECH_MODELS: ${faults.join(" ")}`);
  return models;
}

/** By the names of its files; of two precisions the smaller. Pure. */
export function modelIn(
  { language, folder }: Given,
  files: readonly string[],
): { hears: HearingModel } | { speaks: SpeakingModel } | null {
  const at = (name: string) => path.join(folder, name);
  const onnx = files.filter((name) => /\.(onnx|ort)$/.test(name)).toSorted();
  const find = (part: string): string | null => {
    const fitting = onnx.filter((name) => name.includes(part));
    const found = fitting.find((name) => name.includes("int8")) ?? fitting[0];
    return found === undefined ? null : at(found);
  };
  const listed = files.find((name) => name.endsWith("tokens.txt"));
  if (listed === undefined) return null;
  const tokens = at(listed);
  const [encoder, decoder, joiner] = [find("encoder"), find("decoder"), find("joiner")];
  if (encoder && decoder && joiner) {
    const streams = /streaming/.test(path.basename(folder)) && !/non-streaming/.test(path.basename(folder));
    return { hears: { kind: "transducer", language, folder, streams, encoder, decoder, joiner, tokens } };
  }
  if (encoder && decoder) {
    const kind = path.basename(decoder).includes("merged") ? "moonshine" : "whisper";
    return { hears: { kind, language, folder, encoder, decoder, tokens } };
  }
  const [model] = onnx;
  if (model === undefined || !files.includes("espeak-ng-data")) return null;
  const speaking = {
    language,
    folder,
    model: find("int8") ?? at(model),
    tokens,
    dataDir: at("espeak-ng-data"),
  };
  return files.includes("voices.bin")
    ? { speaks: { kind: "kokoro", ...speaking, voices: at("voices.bin") } }
    : { speaks: { kind: "piper", ...speaking } };
}

/** The model of a language, else null. Whisper's knows many: it hears what it was brought for. */
export const modelFor = <Model extends Given>(models: readonly Model[], language: string): Model | null =>
  models.find((model) => plain(model.language) === plain(language)) ?? null;

const plain = (language: string): string => language.split("-")[0]?.toLowerCase() ?? "";

/** The files whose weights decide what is heard or said. */
export const weightsOf = (model: HearingModel | SpeakingModel): string[] =>
  "encoder" in model
    ? [model.encoder, model.decoder, ...("joiner" in model ? [model.joiner] : [])]
    : [model.model];

export async function checksumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}
