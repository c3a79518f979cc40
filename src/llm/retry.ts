import { setTimeout as sleep } from "node:timers/promises";
import { abortedError, type LanguageModel, ModelError, type ModelPart, type ModelRequest } from "./model.ts";

/** What a person on the telephone bears before it is better to fail over: longer waits are not waited. */
const LONGEST_WAIT_MS = 5_000;
/** When the provider names no time. */
const DEFAULT_WAIT_MS = 300;

/**
 * Asks once more when the first try failed before it said anything: the other model where there is one, whatever the
 * failure, else the same one if it may succeed now (429, 5xx, network, silence). Once a part is out it may have been
 * spoken, so an answer that breaks off is the caller's to mend, by asking `again`.
 */
export function withRetry(
  model: LanguageModel,
  options: { wait_ms?: number; elsewhere?: LanguageModel | null } = {},
): LanguageModel {
  const elsewhere = options.elsewhere ?? null;
  const again = elsewhere ?? model;
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    let begun = false;
    try {
      for await (const part of model.stream(request)) {
        begun = true;
        yield part;
      }
      return;
    } catch (error) {
      if (begun || !(error instanceof ModelError) || !deservesAnother(error, elsewhere !== null)) throw error;
      if (elsewhere === null) await waitFor(error, request);
      request.onRetry?.(again, error);
    }
    yield* again.stream(request);
  }

  async function waitFor(error: ModelError, request: ModelRequest): Promise<void> {
    // It was waited for already.
    if (error.kind === "timeout") return;
    const wait_ms = error.retry_after_ms ?? options.wait_ms ?? DEFAULT_WAIT_MS;
    if (wait_ms > LONGEST_WAIT_MS) throw error;
    await sleep(wait_ms, undefined, { signal: request.signal }).catch(() => {
      throw abortedError(model.provider, request.signal);
    });
  }
  return { ...model, stream, again, context_window: smaller(model, elsewhere) };
}

/** A conversation that is too long is the caller's to shorten; a cancelled one is over. */
const deservesAnother = (error: ModelError, isElsewhere: boolean): boolean =>
  error.kind !== "aborted" && error.kind !== "too-long" && (error.retryable || isElsewhere);

/** What fits into both. */
function smaller(model: LanguageModel, elsewhere: LanguageModel | null): number | null {
  const windows = [model.context_window, elsewhere?.context_window].filter((size) => size != null);
  return windows.length > 0 ? Math.min(...windows) : null;
}
