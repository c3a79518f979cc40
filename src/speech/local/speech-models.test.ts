import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkModel } from "./check-models.ts";
import { findSpeechModels, modelFor, modelIn } from "./speech-models.ts";

const kindOf = (folder: string, files: string[]) => {
  const found = modelIn({ language: "en", folder }, files);
  return found && ("hears" in found ? found.hears : found.speaks);
};

test("a folder's files tell what model it holds, as they are published", () => {
  const transducer = ["encoder-epoch-99.int8.onnx", "encoder-epoch-99.onnx", "decoder.onnx", "joiner.onnx"];
  expect(kindOf("/m/sherpa-onnx-streaming-zipformer-en", [...transducer, "tokens.txt"])).toMatchObject({
    kind: "transducer",
    streams: true,
    encoder: "/m/sherpa-onnx-streaming-zipformer-en/encoder-epoch-99.int8.onnx",
  });
  expect(kindOf("/m/sherpa-onnx-nemo-parakeet-tdt-0.6b", [...transducer, "tokens.txt"])).toMatchObject({
    kind: "transducer",
    streams: false,
  });
  expect(kindOf("/m/whisper", ["base-encoder.onnx", "base-decoder.onnx", "base-tokens.txt"])).toMatchObject({
    kind: "whisper",
    tokens: "/m/whisper/base-tokens.txt",
  });
  for (const ending of ["onnx", "ort"])
    expect(
      kindOf("/m/moon", [`encoder_model.${ending}`, `decoder_model_merged.${ending}`, "tokens.txt"]),
    ).toMatchObject({ kind: "moonshine", decoder: `/m/moon/decoder_model_merged.${ending}` });
  expect(kindOf("/m/piper", ["en_US-amy-low.onnx", "tokens.txt", "espeak-ng-data"])).toMatchObject({
    kind: "piper",
    model: "/m/piper/en_US-amy-low.onnx",
  });
  expect(kindOf("/m/k", ["model.onnx", "voices.bin", "tokens.txt", "espeak-ng-data"])).toMatchObject({
    kind: "kokoro",
    voices: "/m/k/voices.bin",
  });
  for (const files of [[], ["model.onnx"], ["model.onnx", "tokens.txt"], [...transducer]])
    expect(kindOf("/m/x", files)).toBeNull();
});

test("a language's model is found by the language, whatever its region", () => {
  const [english, spanish] = ["en", "es-ES"].map((language) => ({ language, folder: `/m/${language}` }));
  expect(modelFor([english, spanish] as never, "es-US")).toBe(spanish);
  expect(modelFor([english, spanish] as never, "fr-FR")).toBeNull();
});

test("a broken model is refused with its file and folder, and takes no process with it", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-model-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(() => findSpeechModels([{ language: "en", folder }])).toThrow(/holds no model that is known/);
  expect(() => findSpeechModels([{ language: "en", folder: `${folder}/no` }])).toThrow(/can't be read/);
  mkdirSync(path.join(folder, "espeak-ng-data"));
  for (const file of ["model.onnx", "tokens.txt"]) writeFileSync(path.join(folder, file), "no model");
  const [model] = findSpeechModels([{ language: "en", folder }]).speaking;
  await expect(checkModel(model as never)).rejects.toThrow(
    `SPEECH_MODELS: the model in ${folder} can't be used`,
  );
});
