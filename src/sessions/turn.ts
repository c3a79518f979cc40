import type { LanguageModel } from "../llm/model.ts";
import { answererNotes } from "./answerer-notes.ts";
import { buildMessages } from "./build-prompt.ts";
import { chooseLanguage } from "./choose-language.ts";
import type { Engine } from "./engine.ts";
import { releaseLease, renewLease, takeLease } from "./lease.ts";
import { modelRound } from "./model-round.ts";
import type { Offering } from "./offered-tools.ts";
import { CallRunner } from "./run-calls.ts";
import type { TurnEvent, TurnInput, TurnResult } from "./turn-event.ts";
import { TurnRecord } from "./turn-record.ts";
import { findMessageTurn, loadHistory } from "./turn-store.ts";
import { TurnTiming } from "./turn-timing.ts";

/** A model that calls tools without end is stopped here and has to answer in words. */
const MAX_TOOL_ROUNDS = 10;
const APOLOGY = "I'm sorry, I can't answer right now. Please try again in a moment.";

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
  const said = input.text === null ? null : { text: input.text, client_message_id };
  const timing = new TurnTiming(engine.clock.now());
  const { session, repeated } = await timing.of("lease", () => takeLease(engine, session_id, said));
  const lost = new AbortController();
  const stopRenewing = renewLease(engine, session, lost);
  try {
    const record = new TurnRecord(engine, session, input, emit, lost.signal, timing);
    if (repeated && client_message_id !== null) {
      record.index = await findMessageTurn(engine, session_id, client_message_id);
      if (record.index <= session.finished_turn) return await record.repeat();
    }
    const [history, model] = await timing.of("load", () =>
      Promise.all([
        loadHistory(engine, session_id),
        engine.resolveModel(session.sub_organization_id, session.snapshot.prompt.llm_config),
      ]),
    );
    record.history = history;
    if (input.answerer) session.state.answerer = input.answerer;
    await answer(record, model);
    return await record.finish();
  } catch (error) {
    await releaseLease(engine, session).catch(() => {});
    // What fails once the turn was cut off fails for that reason.
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    stopRenewing();
  }
}

async function answer(record: TurnRecord, model: LanguageModel): Promise<void> {
  const runner = new CallRunner(record);
  await runner.workflows.open();
  if (record.input.text !== null && chooseLanguage(record)) return;
  if (record.input.text !== null && (await runner.workflows.hearUser())) await record.store({ over: false });
  await converse(record, runner, model);
}

/** Asks the model, runs what it calls, and asks again until it is done talking or something ended the session. */
async function converse(record: TurnRecord, runner: CallRunner, model: LanguageModel): Promise<void> {
  for (let round = 0; record.action === null; round++) {
    const last = round === MAX_TOOL_ROUNDS;
    const offering = runner.workflows.offer();
    const asked = last ? { ...offering, choice: "none" as const } : offering;
    const answered = await record.timing.of("model", () => ask(record, model, asked));
    record.trace(answered.trace);
    record.emit({ type: "words_over" });
    record.say(answered.text);
    if (!answered.ok) {
      // The model failed twice: the person hears an apology, the session goes on, and an event says why.
      record.failed = true;
      record.say(APOLOGY);
      record.event("conversation", "llm-error", answered.error);
      return;
    }
    if (record.input.control?.interrupted.aborted) return record.note("the person interrupted the answer");
    if (answered.calls.length > 0 && last) {
      record.note(`the model still called tools after ${MAX_TOOL_ROUNDS} rounds; the turn was ended`);
      return;
    }
    await record.timing.of("tools", () => runner.runRound(round, answered.calls, offering));
    runner.workflows.settle(offering);
    if (answered.calls.length === 0) return;
    if (record.input.control?.interrupted.aborted) return record.note("the person spoke while tools ran");
    if (record.action === null) await record.store({ over: false });
  }
}

function ask(
  record: TurnRecord,
  model: LanguageModel,
  { tools, choice }: Pick<Offering, "tools" | "choice">,
) {
  const { snapshot, state } = record.session;
  const interrupted = record.input.control?.interrupted;
  const language = { code: state.language, changed: state.language !== record.startLanguage };
  const request = {
    messages: buildMessages(
      snapshot,
      record.history,
      record.context().lookup,
      language,
      answererNotes(state),
    ),
    tools,
    tool_choice: choice,
    temperature: snapshot.prompt.llm_config.temperature ?? null,
    seed: snapshot.prompt.llm_config.seed ?? null,
    signal: interrupted ? AbortSignal.any([record.signal, interrupted]) : record.signal,
  };
  const onText = (text: string) => record.emit({ type: "delta", text });
  return modelRound(model, request, record.engine.clock, onText, interrupted);
}
