import { setTimeout as sleep } from "node:timers/promises";
import { abortedError, type LanguageModel, ModelError, type ModelPart, type ModelRequest } from "./model.ts";

/** What a person on the telephone bears before it is better to fail over: longer waits are not waited. */
const LONGEST_WAIT_MS = 5_000;
/** When the provider names no time. */
const DEFAULT_WAIT_MS = 300;

/**
 * Asks once more when the first try failed before it said anything and may succeed now (429, 5xx, network). Once a part is
 * out it may have been spoken, so an answer that breaks off is the caller's to mend.
 */
export function withRetry(model: LanguageModel, options: { wait_ms?: number } = {}): LanguageModel {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    let begun = false;
    try {
      for await (const part of model.stream(request)) {
        begun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (begun || !(error instanceof ModelError) || !error.retryable) throw error;
      const wait_ms = error.retry_after_ms ?? options.wait_ms ?? DEFAULT_WAIT_MS;
      if (wait_ms > LONGEST_WAIT_MS) throw error;
      await sleep(wait_ms, undefined, { signal: request.signal }).catch(() => {
        throw abortedError(model.provider, request.signal);
      });
    }
    yield* model.stream(request);
  }
  return { ...model, stream };
}
