import type { TraceEntry } from "../../events/trace.ts";
import { estimateTokens, messageTokens } from "../../llm/estimate-tokens.ts";
import type { LanguageModel, ModelRequest } from "../../llm/model.ts";
import type { Engine } from "../../sessions/engine.ts";
import { type LeasedSession, readForTurn } from "../../sessions/leased-session.ts";
import { chooseLanguage } from "../language/choose-language.ts";
import { CallRunner } from "../run-calls.ts";
import { TurnDriver } from "../turn-driver.ts";
import { loadHistory } from "../turn-history.ts";
import { modelRequest } from "./model-request.ts";
import { modelRound, type Round, type TextSink } from "./model-round.ts";

type Started = {
  at: Date;
  request: Omit<ModelRequest, "signal">;
  round: Promise<Round>;
};

/**
 * An answer that the model begins before it is certain that the person has finished. It only reads: nothing is stored, no
 * tool runs, and nothing is said. A turn that asks the model exactly the same takes the answer over. Otherwise the answer
 * is dropped, and its cost goes into the trace.
 */
export class SpeculativeTurn {
  readonly text: string;
  readonly #cut = new AbortController();
  /** Hears the answer before it is known whether the person has finished. */
  readonly #words: TextSink;
  #started: Started | null = null;
  #written = "";
  #isPaused = false;
  #taken: TextSink | null = null;
  #isDropped = false;
  readonly #ready: Promise<void>;

  constructor(engine: Engine, session_id: number, text: string, words: TextSink) {
    this.text = text;
    this.#words = words;
    this.#ready = this.#start(engine, session_id).catch((error) => {
      engine.log.warn({ err: error, session_id }, "an answer could not be prepared");
    });
  }

  /** When the model was asked; null: it was not. The request of the turn is compared as of that moment. */
  get asked_at(): Date | null {
    return this.#isDropped || this.#taken ? null : (this.#started?.at ?? null);
  }

  get #hearer(): TextSink | null {
    return this.#taken ?? (this.#isDropped ? null : this.#words);
  }

  /** The round as the turn's own, where `request` is what was asked; null: the turn has to ask. */
  takeOver(
    request: Omit<ModelRequest, "signal">,
    signal: AbortSignal,
    words: TextSink,
  ): Promise<Round> | null {
    const started = this.#started;
    if (!started || this.asked_at === null) return null;
    if (JSON.stringify(request) !== JSON.stringify(started.request)) return null;
    this.#taken = words;
    const cut = () => this.#cut.abort();
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
    if (this.#written !== "") words.feed(this.#written);
    if (this.#isPaused) words.pause();
    return started.round;
  }

  /** What it cost where no turn took it; null where there is nothing to tell. */
  async drop(because: string): Promise<TraceEntry | null> {
    if (this.#taken || this.#isDropped) return null;
    this.#isDropped = true;
    this.#cut.abort();
    await this.#ready;
    if (!this.#started) return null;
    const { request, round } = this.#started;
    const { trace } = await round;
    const { input_tokens = null, output_tokens = null } = trace.details as Record<string, number | null>;
    return {
      ...trace,
      label: "dropped",
      details: {
        ...trace.details,
        because,
        // A provider reports no token counts for an answer that was cut off.
        estimated: input_tokens === null,
        input_tokens: input_tokens ?? request.messages.reduce((sum, one) => sum + messageTokens(one), 0),
        output_tokens: output_tokens ?? estimateTokens(this.#written),
      },
    };
  }

  async #start(engine: Engine, session_id: number): Promise<void> {
    const at = engine.clock.now();
    const [session, history] = await Promise.all([
      readForTurn(engine, session_id),
      loadHistory(engine, session_id),
    ]);
    if (!session || this.#isDropped) return;
    const model = await engine.resolveModel(session.sub_organization_id, session.snapshot.prompt.llm_config);
    const turn = this.#turnOf(engine, session);
    turn.read([
      ...session.redactor.restore(history),
      { kind: "message", seq: session.next_seq, role: "user", text: this.text, aside: false },
    ]);
    const request = requestOf(turn, model, at, this.text);
    if (!request || this.#isDropped) return;
    this.#ask(engine, model, request, at);
  }

  #turnOf(engine: Engine, session: LeasedSession): TurnDriver {
    const { turn_count, next_seq } = session;
    const next = { ...session, turn_count: turn_count + 1, next_seq: next_seq + 1 };
    return new TurnDriver(engine, next, { text: this.text });
  }

  #ask(engine: Engine, model: LanguageModel, request: Omit<ModelRequest, "signal">, at: Date): void {
    const { signal } = this.#cut;
    const round = modelRound(
      model,
      { ...request, signal },
      engine.clock,
      {
        feed: (delta) => {
          this.#written += delta;
          this.#isPaused = false;
          this.#hearer?.feed(delta);
        },
        pause: () => {
          this.#isPaused = true;
          this.#hearer?.pause();
        },
      },
      signal,
    );
    // A failure reaches the turn that takes the answer over.
    round.then(
      () => this.#taken === null && this.#hearer?.pause(),
      () => {},
    );
    this.#started = { at, request, round };
  }
}

/** What the turn will ask first; null where it does something before, or answers without the model. */
function requestOf(turn: TurnDriver, model: LanguageModel, at: Date, text: string) {
  const { workflows } = new CallRunner(turn);
  if (workflows.actsBeforeModel || turn.change((draft) => chooseLanguage(draft, text))) return null;
  const { tools, choice } = workflows.offer();
  return modelRequest(
    turn,
    workflows,
    { model, notes: [], most_tokens: Number.POSITIVE_INFINITY },
    { tools, choice },
    at,
  ).request;
}
