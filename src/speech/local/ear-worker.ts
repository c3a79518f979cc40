import { parentPort, workerData } from "node:worker_threads";
import { errorText } from "../../base/errors.ts";
import type { Heard, ListeningFor } from "../hearing.ts";
import { type EarStream, openEarStream } from "./ear-stream.ts";
import { type Recognizers, recognizers } from "./recognizers.ts";
import type { SphinxFiles } from "./sphinx.ts";

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
 * A thread that hears for several lines: where speech begins and ends (Silero), and its words (PocketSphinx).
 */
if (parentPort) serve(parentPort, workerData as { sphinx: SphinxFiles | null });

function serve(port: NonNullable<typeof parentPort>, { sphinx }: { sphinx: SphinxFiles | null }): void {
  const streams = new Map<number, EarStream>();
  let known: Recognizers | null = null;
  port.on("message", (asked: EarAsked) => {
    if (asked.ask === "end") {
      for (const stream of streams.values()) stream.close();
      streams.clear();
      return port.close();
    }
    if (asked.ask === "catch_up") return port.postMessage({ caught_up: asked.number } satisfies EarTold);
    const tell = (heard: Heard) => port.postMessage({ ear: asked.ear, heard } satisfies EarTold);
    try {
      if (asked.ask === "open") {
        if (asked.recognizes && sphinx) known ??= recognizers(sphinx);
        const words = asked.recognizes ? (known?.take(asked.listening) ?? null) : null;
        streams.set(asked.ear, openEarStream(words, tell));
      } else if (asked.ask === "push") streams.get(asked.ear)?.push(asked.frame);
      else {
        streams.get(asked.ear)?.close();
        streams.delete(asked.ear);
      }
    } catch (error) {
      streams.delete(asked.ear);
      tell({ type: "fault", message: errorText(error) });
    }
  });
}
