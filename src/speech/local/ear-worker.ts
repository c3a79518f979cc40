import { parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../base/errors.ts";
import type { Heard, ListeningFor } from "../hearing.ts";
import { type EarStream, openEarStream } from "./ear-stream.ts";
import { modelRecognizers } from "./model-recognizers.ts";
import { type Recognizers, recognizers, type TakenRecognizer } from "./recognizers.ts";
import { type HearingModel, modelFor } from "./speech-models.ts";
import type { SphinxFiles } from "./sphinx.ts";

/** What there is to understand words with: models the operator brought, before the stand-in. */
export type EarFiles = { sphinx: SphinxFiles | null; models: readonly HearingModel[] };

/** What the main loop asks, and what it is told. `ear` numbers the line. */
export type EarAsked =
  | { ear: number; ask: "open"; listening: ListeningFor; recognizes: boolean }
  | { ear: number; ask: "push"; frame: Int16Array }
  | { ear: number; ask: "close" }
  /** Answered once all that was asked before is done. */
  | { ask: "catch_up"; number: number }
  /** The thread's last message: it comes to its own end. */
  | { ask: "end" };
export type EarTold = { ear: number; heard: Heard } | { caught_up: number };

/*
 * A thread that hears for several lines: where speech begins and ends (Silero), and its words (PocketSphinx, or a model of sherpa-onnx).
 */
if (parentPort) serve(parentPort, workerData as EarFiles);

function serve(port: NonNullable<typeof parentPort>, { sphinx, models }: EarFiles): void {
  const streams = new Map<number, EarStream>();
  let known: Recognizers | null = null;
  const loaded = new Map<HearingModel, () => TakenRecognizer>();
  const wordsFor = (listening: ListeningFor): TakenRecognizer | null => {
    const model = modelFor(models, listening.language);
    if (model) {
      const take = loaded.get(model) ?? modelRecognizers(model);
      loaded.set(model, take);
      return take();
    }
    if (sphinx) known ??= recognizers(sphinx);
    return known?.take(listening) ?? null;
  };
  /** Where a stream has failed, its recognizer may fail once more. */
  const giveBack = (ear: number) => {
    try {
      streams.get(ear)?.close();
    } catch {}
    streams.delete(ear);
  };
  port.on("message", (asked: EarAsked) => {
    if (asked.ask === "end") {
      for (const ear of streams.keys()) giveBack(ear);
      known?.free();
      return port.close();
    }
    if (asked.ask === "catch_up") {
      const caughtUp = () => port.postMessage({ caught_up: asked.number } satisfies EarTold);
      return void Promise.all([...streams.values()].map((stream) => stream.caughtUp())).then(caughtUp);
    }
    const tell = (heard: Heard) => port.postMessage({ ear: asked.ear, heard } satisfies EarTold);
    const fail = (error: unknown) => {
      giveBack(asked.ear);
      tell({ type: "fault", message: errorText(error) });
    };
    try {
      if (asked.ask === "open") {
        const words = asked.recognizes ? wordsFor(asked.listening) : null;
        try {
          streams.set(asked.ear, openEarStream(words, { tell, fail }));
        } catch (error) {
          words?.giveBack();
          throw error;
        }
      } else if (asked.ask === "push") streams.get(asked.ear)?.push(asked.frame);
      else {
        streams.get(asked.ear)?.close();
        streams.delete(asked.ear);
      }
    } catch (error) {
      fail(error);
    }
  });
}
