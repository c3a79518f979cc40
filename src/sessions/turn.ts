import type { LanguageModel } from "../llm/model.ts";
import { buildMessages } from "./build-prompt.ts";
import type { Engine } from "./engine.ts";
import { type LeasedSession, releaseLease, renewLease, takeLease } from "./lease.ts";
import { modelRound } from "./model-round.ts";
import type { Offering } from "./offered-tools.ts";
import { CallRunner } from "./run-calls.ts";
import type { TurnEvent, TurnInput, TurnResult } from "./turn-event.ts";
import { TurnRecord } from "./turn-record.ts";
import { loadHistory, storeUserMessage } from "./turn-store.ts";

/** A model that calls tools without end is stopped here and has to answer in words (domain decision 4.4). */
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
  const session = await takeLease(engine, session_id);
  const lost = new AbortController();
  const stopRenewing = renewLease(engine, session, lost);
  try {
    return await answer(engine, session, input, emit, lost.signal);
  } catch (error) {
    await releaseLease(engine, session).catch(() => {});
    throw error;
  } finally {
    stopRenewing();
  }
}

async function answer(
  engine: Engine,
  session: LeasedSession,
  input: TurnInput,
  emit: (event: TurnEvent) => void,
  signal: AbortSignal,
): Promise<TurnResult> {
  const record = new TurnRecord(engine, session, input, emit, signal);
  if (input.text !== null) {
    const message = {
      text: input.text,
      client_message_id: input.client_message_id ?? null,
      at: engine.clock.now(),
    };
    const stored = await storeUserMessage(engine, session, message);
    record.index = stored.turn_index;
    if (stored.answered) return record.repeat();
  }
  record.history = await loadHistory(engine, session.id);
  const model = await engine.resolveModel(session.sub_organization_id, session.snapshot.prompt.llm_config);
  const runner = new CallRunner(record);
  await runner.workflows.open();
  if (input.text !== null && (await runner.workflows.hearUser())) await record.store({ over: false });
  await converse(record, runner, model);
  return record.finish();
}

/** Asks the model, runs what it calls, and asks again until it is done talking or something ended the session. */
async function converse(record: TurnRecord, runner: CallRunner, model: LanguageModel): Promise<void> {
  for (let round = 0; record.action === null; round++) {
    const last = round === MAX_TOOL_ROUNDS;
    const offering = runner.workflows.offer();
    const answered = await ask(record, model, last ? { ...offering, choice: "none" } : offering);
    record.trace(answered.trace);
    record.say(answered.text);
    if (!answered.ok) {
      // The model failed twice: the person hears an apology, the session goes on, and an event says why.
      record.say(APOLOGY);
      record.event("conversation", "llm-error", answered.error);
      return;
    }
    if (answered.calls.length > 0 && last) {
      record.note(`the model still called tools after ${MAX_TOOL_ROUNDS} rounds; the turn was ended`);
      return;
    }
    await runner.runRound(round, answered.calls, offering);
    runner.workflows.settle(offering);
    if (answered.calls.length === 0) return;
    if (record.action === null) await record.store({ over: false });
  }
}

function ask(
  record: TurnRecord,
  model: LanguageModel,
  { tools, choice }: Pick<Offering, "tools" | "choice">,
) {
  const { snapshot, state } = record.session;
  const language = { code: state.language, changed: state.language !== record.startLanguage };
  const request = {
    messages: buildMessages(snapshot, record.history, record.context().lookup, language),
    tools,
    tool_choice: choice,
    temperature: snapshot.prompt.llm_config.temperature ?? null,
    seed: snapshot.prompt.llm_config.seed ?? null,
    signal: record.signal,
  };
  return modelRound(model, request, record.engine.clock, (text) => record.emit({ type: "delta", text }));
}
