import type { Clock } from "../base/clock.ts";
import { type LanguageModel, ModelError, type ModelPart, type ModelRequest } from "./model.ts";

type AnswerTimeouts = {
  /** From the question to the first sign of an answer. */
  first_token_ms: number;
  /** Without a sign of it, once it has begun. */
  between_tokens_ms: number;
  total_ms: number;
};

/** Work that nobody waits for takes its time: the first token of a long transcript may. */
const UNWATCHED_MS = 60_000;

/**
 * Bounds the wait for the first part, for the next one, and for the whole answer. Reasoning, and arguments of a call that
 * are still being written, are signs of an answer too. The caller's signal still ends everything.
 */
export function withTimeouts(model: LanguageModel, limits: AnswerTimeouts, clock: Clock): LanguageModel {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const own = new AbortController();
    const late = (message: string, retryable: boolean) =>
      own.abort(new ModelError("timeout", model.provider, message, { retryable }));
    const after = (ms: number, what: () => void) => clock.wakeAt(new Date(clock.now().getTime() + ms), what);
    const patient = (ms: number) => (request.unwatched ? Math.max(ms, UNWATCHED_MS) : ms);

    let begun = false;
    /** When the wait for the model is over; null while the reader takes its time. */
    let due: { at: number; ms: number; what: string } | null = null;
    let woken = null as { at: number; callOff: () => void } | null;
    // Most waits end at once. One timer is set, and sets itself anew while there is something to wait for.
    const wakeAt = (at: number) => {
      woken?.callOff();
      const wake = () => {
        woken = null;
        if (due === null) return;
        const now = clock.now().getTime();
        // A clock that was set back meanwhile must not lengthen the wait by as much.
        due.at = Math.min(due.at, now + due.ms);
        if (now < due.at) wakeAt(due.at);
        else late(`The language model ${due.what} ${due.ms / 1000} s.`, true);
      };
      woken = { at, callOff: clock.wakeAt(new Date(at), wake) };
    };
    const stopWaiting = () => {
      due = null;
    };
    const awaitNext = () => {
      const ms = patient(begun ? limits.between_tokens_ms : limits.first_token_ms);
      const at = clock.now().getTime() + ms;
      due = { at, ms, what: begun ? "went silent for" : "did not begin to answer within" };
      if (woken === null || at < woken.at) wakeAt(at);
    };
    const stopTotal = after(limits.total_ms, () =>
      late(`The language model did not finish within ${limits.total_ms / 1000} s.`, false),
    );
    const onActivity = () => {
      begun = true;
      awaitNext();
    };
    awaitNext();
    try {
      const signal = AbortSignal.any([request.signal, own.signal]);
      for await (const part of model.stream({ ...request, onActivity, signal })) {
        begun = true;
        // The reader's time is not the model's.
        stopWaiting();
        yield part;
        awaitNext();
      }
    } catch (error) {
      // What the model reports then is only that it was aborted; the reason says by whom.
      throw own.signal.aborted && !request.signal.aborted ? own.signal.reason : error;
    } finally {
      stopWaiting();
      woken?.callOff();
      stopTotal();
    }
  }
  return { ...model, stream };
}
