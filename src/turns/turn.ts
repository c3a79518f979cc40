import type { LanguageModel, ModelFinish } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import { releaseFailed, takeLease } from "../sessions/lease.ts";
import { markRead } from "../sessions/operator-notes.ts";
import { apologize } from "./apology.ts";
import { chooseLanguage } from "./language/choose-language.ts";
import type { Offering } from "./offered-tools.ts";
import { type AskedModel, modelRequest } from "./rounds/model-request.ts";
import { modelRound, type Round, type TextSink } from "./rounds/model-round.ts";
import { withoutRepeating } from "./rounds/without-repeating.ts";
import { CallRunner } from "./run-calls.ts";
import { hearOptOut } from "./safety/hear-opt-out.ts";
import { findMessageTurn, repeatTurn } from "./stored-answer.ts";
import { TurnDriver } from "./turn-driver.ts";
import type { TurnEvent, TurnInput, TurnResult } from "./turn-event.ts";
import { loadHistory } from "./turn-history.ts";
import { TurnTiming } from "./turn-timing.ts";

/** The most rounds of tool calls; after them the model has to answer in words. */
const MAX_TOOL_ROUNDS = 10;

/**
 * Runs one turn: the person's message is stored first, then the model answers, calling tools as it needs, and the
 * answer is stored with what it took. No transaction is open while a model or a tool runs; what a round of tools did
 * is stored before the model is asked again, so that a crash never repeats a call that was made.
 */
export async function runTurn(
  engine: Engine,
  session_id: number,
  input: TurnInput,
  emit: (event: TurnEvent) => void = () => {},
): Promise<TurnResult> {
  const client_message_id = input.client_message_id ?? null;
  const said = input.text === null || input.debug ? null : { text: input.text, client_message_id };
  const timing = new TurnTiming(engine.clock.now());
  const { session, repeated } = await timing.of("lease", () => takeLease(engine, session_id, said));
  const lost = engine.held.hold(session);
  try {
    const turn_index =
      repeated && client_message_id !== null
        ? await findMessageTurn(engine, session_id, client_message_id)
        : session.turn_count;
    if (repeated && turn_index <= session.finished_turn)
      return await repeatTurn(engine, session, turn_index, emit);
    const turn = new TurnDriver(engine, session, input, { emit, signal: lost, timing, turn_index });
    if (session.is_taken_over) {
      if (input.text !== null) await hearOptOut(turn, input.text);
      turn.note("not answered: a person has taken over");
      return await turn.finish();
    }
    const [history, model] = await timing.of("load", () =>
      Promise.all([
        loadHistory(engine, session_id),
        engine.resolveModel(session.sub_organization_id, session.snapshot.prompt.llm_config),
      ]),
    );
    turn.read(session.redactor.restore(history));
    const { answerer } = input;
    if (answerer) turn.change((draft) => draft.remember({ answerer }));
    await answer(turn, model);
    const result = await turn.finish();
    // Should the process die before this, the next turn reads the notes once more.
    if (turn.asked_model && !result.failed) await markRead(engine.db, session.notes, turn_index);
    return result;
  } catch (error) {
    await releaseFailed(engine, session);
    // Errors after the turn was aborted are caused by the abort.
    throw lost.aborted ? lost.reason : error;
  } finally {
    engine.held.drop(session);
  }
}

async function answer(turn: TurnDriver, model: LanguageModel): Promise<void> {
  const runner = new CallRunner(turn);
  const { text } = turn.input;
  const announced = turn.change((draft) => draft.announce({ answers: text !== null })).length > 0;
  if (announced) await turn.sendWords();
  await runner.workflows.open();
  await runner.workflows.recover();
  if (text !== null && turn.change((draft) => chooseLanguage(draft, text))) return;
  const opt_out = text === null ? "none" : await hearOptOut(turn, text);
  if (opt_out === "over") return;
  if (text !== null && (await runner.workflows.hearUser())) await turn.store({ over: false });
  await converse(turn, runner, model, Number(announced) + Number(opt_out === "confirmed"));
}

/**
 * Asks the model, runs its calls, and asks again until it has answered or the session ended. A turn always ends with words:
 * after an empty answer, or calls past the last round, the model is asked once more without tools, then comes the apology.
 * `heard_before`: how many of the turn's messages answer nothing.
 */
async function converse(
  turn: TurnDriver,
  runner: CallRunner,
  model: LanguageModel,
  heard_before: number,
): Promise<void> {
  let wordless: string | null = null;
  /** The number of the turn's messages when the last calls began. */
  let answered_before = heard_before;
  const asking: AskedModel = { model, notes: [], most_tokens: Number.POSITIVE_INFINITY };
  for (let round = 0; turn.state.action === null; round++) {
    const offering = runner.workflows.offer();
    const last = round >= MAX_TOOL_ROUNDS;
    const asked = wordless ? WITHOUT_TOOLS : last ? { ...offering, choice: "none" as const } : offering;
    const answered = await turn.timing.of("model", () => ask(turn, runner, asking, asked));
    turn.change((draft) => draft.asked(answered));
    turn.emit({ type: "words_over" });
    const isWhole = turn.change((draft) => draft.say(answered.text));
    if (!isWhole) {
      // A model that was made to say this is not to be trusted with its calls either.
      if (answered.ok && answered.calls.length > 0) turn.note("the calls of a withheld answer were not made");
      return runner.workflows.settle(offering);
    }
    if (!answered.ok) {
      // The model failed twice: the person hears an apology, the session continues, and an event says why.
      if (!mend(turn, asking, answered)) return apologize(turn, answered.error);
      continue;
    }
    if (asking.said !== undefined) goneOn(asking);
    if (turn.input.control?.interrupted.aborted) return turn.note("the person interrupted the answer");
    const calls = wordless !== null || last ? [] : answered.calls;
    if (calls.length === 0) {
      // Words of a workflow or a tool since the last request count as an answer too.
      const isSilent = answered.text.trim() === "" && turn.state.messages.length === answered_before;
      const why = whyWordless(answered, last);
      if (!isSilent) {
        if (endsInTheMiddle(answered) && goOn(turn, asking, answered.text, `${why}:`)) continue;
        if (answered.calls.length > 0) turn.note(`the turn was ended: ${why}`);
        return runner.workflows.settle(offering);
      }
      if (wordless) return apologize(turn, `The model gave no words, twice: ${why}`);
      wordless = why;
      turn.note(`the model was asked once more, without tools: ${why}`);
      runner.workflows.settle(offering);
      continue;
    }
    answered_before = turn.state.messages.length;
    await turn.timing.of("tools", () => runner.runRound(round, calls, offering));
    runner.workflows.settle(offering);
    if (runner.awaitsPerson) return turn.note("the turn ends with the question whether to make the call");
    if (turn.input.control?.interrupted.aborted) return turn.note("the person spoke while tools ran");
    if (turn.state.action === null) await turn.store({ over: false });
  }
}

type Failed = Extract<Round, { ok: false }>;

const WITHOUT_TOOLS: Pick<Offering, "tools" | "choice"> = { tools: [], choice: "none" };

function whyWordless({ calls, finish }: { calls: unknown[]; finish: ModelFinish }, last: boolean): string {
  if (calls.length > 0 && last) return `it still called tools after ${MAX_TOOL_ROUNDS} rounds`;
  if (finish === "content-filter") return "the provider filtered its answer";
  if (finish === "length") return "its answer ended at its length limit";
  return "its answer was empty";
}

/** A self-hosted server may accept a sixteenth of the model's usual window. It rejects longer requests at once. */
const MAX_HALVED = 4;

/** Changes how the model is asked after a failed answer; false when nothing can be changed. */
function mend(turn: TurnDriver, asking: AskedModel, { text, failure, error }: Failed): boolean {
  const { halved = 0 } = asking;
  if (failure.kind === "too-long" && halved < MAX_HALVED) {
    asking.halved = halved + 1;
    asking.most_tokens = Math.floor((asking.asked_tokens ?? 0) / 2);
    turn.note(`${error} It was asked once more, with a shorter history.`);
    return true;
  }
  // Before any words were sent, the request has been retried already.
  if (!failure.retryable || asking.broke_off) return false;
  const { model } = asking;
  asking.model = model.again ?? model;
  return goOn(turn, asking, text, error);
}

/** Has the model go on from the words that it ended in the middle of, once in a turn; false when it is not to. */
function goOn(turn: TurnDriver, asking: AskedModel, text: string, because: string): boolean {
  if (text.trim() === "" || asking.broke_off) return false;
  asking.broke_off = true;
  asking.notes = [BROKE_OFF];
  asking.said = text;
  turn.note(`${because} ${asking.model.provider}/${asking.model.model} was asked to go on.`);
  return true;
}

/** Its words are cut where the provider stopped it. */
const endsInTheMiddle = ({ calls, finish }: { calls: unknown[]; finish: ModelFinish }): boolean =>
  calls.length === 0 && (finish === "length" || finish === "content-filter");

/** The note is true of the one answer only. */
function goneOn(asking: AskedModel): void {
  asking.notes = [];
  delete asking.said;
}

const BROKE_OFF =
  "Your last words broke off in the middle. The person has heard them. Go on from there, without repeating them.";

/** Asks, or takes over the answer that the model has begun already where it was asked the same. */
function ask(
  turn: TurnDriver,
  { workflows }: CallRunner,
  asking: AskedModel,
  offered: Pick<Offering, "tools" | "choice">,
): Promise<Round> {
  const { control, speculation } = turn.input;
  turn.asked_model = true;
  const interrupted = control?.interrupted;
  const signal = interrupted ? AbortSignal.any([turn.signal, interrupted]) : turn.signal;
  const checked = turn.wordsTo((text) => turn.emit({ type: "delta", text }));
  const words: TextSink = {
    feed: (text) => checked.feed(text),
    pause() {
      checked.pause();
      turn.emit({ type: "text_end" });
    },
  };
  const spoken = async (round: Promise<Round>): Promise<Round> => {
    const answered = await round;
    checked.end();
    return answered;
  };
  const { model, said } = asking;
  const at = speculation?.asked_at ?? null;
  if (speculation && at) {
    const { request } = modelRequest(turn, workflows, asking, offered, at);
    const begun = speculation.takeOver(request, signal, words);
    if (begun) return spoken(takenOver(turn, begun));
  }
  const now = turn.engine.clock.now();
  const { request, trimmed, tokens } = modelRequest(turn, workflows, asking, offered, now);
  if (trimmed) turn.trace({ category: "note", label: "history trimmed to fit the model", details: trimmed });
  asking.asked_tokens = tokens;
  const answering = said === undefined ? model : withoutRepeating(model, said);
  // Who wrote a mail does not sit before it: a model that thinks for long is better than an apology.
  const unwatched = turn.session.channel === "email";
  const asked = () =>
    spoken(modelRound(answering, { ...request, signal, unwatched }, turn.engine.clock, words, interrupted));
  return turn.input.debug ? turn.input.debug.round(asked) : asked();
}

async function takenOver(turn: TurnDriver, begun: Promise<Round>): Promise<Round> {
  const round = await begun;
  turn.signal.throwIfAborted();
  return { ...round, trace: { ...round.trace, details: { ...round.trace.details, speculative: true } } };
}
