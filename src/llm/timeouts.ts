import { type LanguageModel, ModelError, type ModelPart, type ModelRequest } from "./model.ts";

/**
 * Bounds the wait for the first part and for the whole answer. The caller's signal still ends everything; put `withRetry`
 * around this, and a provider that is silent gets a second chance.
 */
export function withTimeouts(
  model: LanguageModel,
  limits: { first_part_ms: number; total_ms: number },
): LanguageModel {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const own = new AbortController();
    const late = (message: string, retryable: boolean) =>
      own.abort(new ModelError("timeout", model.provider, message, { retryable }));
    const total = setTimeout(
      () => late(`The language model did not finish within ${limits.total_ms / 1000} s.`, false),
      limits.total_ms,
    );
    let first: NodeJS.Timeout | undefined = setTimeout(
      () => late(`The language model did not begin to answer within ${limits.first_part_ms / 1000} s.`, true),
      limits.first_part_ms,
    );
    try {
      for await (const part of model.stream({
        ...request,
        signal: AbortSignal.any([request.signal, own.signal]),
      })) {
        clearTimeout(first);
        first = undefined;
        yield part;
      }
    } catch (error) {
      // What the model reports then is only that it was aborted; the reason says by whom.
      throw own.signal.aborted && !request.signal.aborted ? own.signal.reason : error;
    } finally {
      clearTimeout(first);
      clearTimeout(total);
    }
  }
  return { ...model, stream };
}
