import type { SnapshotTool } from "../agents/snapshot.ts";
import { publicText } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import { storableJson } from "../base/storable.ts";
import { suppress } from "../consent/suppression.ts";
import { json } from "../db/database.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { insertTrace, type TraceEntry } from "../events/trace.ts";
import { handle, type JobHandler } from "../jobs/define-job.ts";
import type { ToolCall } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import { queueIndexing } from "../sessions/index-session-job.ts";
import { sentSoFar } from "../sessions/sent/sent-parts.ts";
import { sentRefsOf } from "../sessions/sent/sent-records.ts";
import { agentTime, sessionFacts } from "../sessions/session-facts.ts";
import { keepOriginals, loadRedactor, redactedState, restoredState } from "../sessions/session-redactor.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import { voiceInForce } from "../sessions/session-voice.ts";
import { localTime, type SessionState, sessionLookup, systemVariables } from "../sessions/variables.ts";
import { optOutEntries, withWords } from "../tool-calls/opt-out-tool.ts";
import { runTool } from "../tool-calls/run-tool.ts";
import {
  failed,
  memoryAfter,
  type ToolContext,
  type ToolEffects,
  type ToolOutcome,
} from "../tool-calls/tool-outcome.ts";
import { authoredTexts, instructionLookup } from "../workflows/instruction-lookup.ts";
import { buildMessages } from "./build-prompt.ts";
import { callTrace, exchangesOf, type FinishedCall, storedCall } from "./draft/finished-call.ts";
import { redactedRows } from "./draft/redacted-rows.ts";
import { sentInsert, sentRows, sentValue } from "./draft/sent-rows.ts";
import { NO_ROWS } from "./draft/turn-rows.ts";
import { callEndTool } from "./end-tool-job.ts";
import { offeredTool } from "./offered-tools.ts";
import { modelRound, type SentRound } from "./rounds/model-round.ts";
import { loadHistory } from "./turn-history.ts";
import { callInsert, callsValue } from "./turn-store.ts";

/*
 * The session end tool: called once after the end of a session, whatever ended it. The model fills in the arguments from
 * the conversation, and the call is stored like any other. Its result is never spoken, and its failure doesn't affect the
 * end.
 *
 *   asking the model (harmless to repeat) → the call's row, committed → the call → its result
 *
 * When a process dies before the row is committed, the job runs again. When it dies after that, the call may have been
 * made, so it is not repeated and its unknown fate is stored.
 */

/** Timeout of the model and the tool together. */
const BUDGET_MS = 30_000;
/** A call without a result after this time belongs to a process that died. */
const LOST_AFTER_MS = BUDGET_MS + 30_000;
/** Greater than any turn's number, because the call belongs to no turn. */
const AFTER_ROUNDS = 1_000;

export const endToolJob = (engine: Engine): JobHandler =>
  handle(callEndTool, ({ session_id }) => runEndTool(engine, session_id));

export async function runEndTool(engine: Engine, session_id: number): Promise<void> {
  const session = await loadEnded(engine, session_id);
  const tool = session?.snapshot.session_end_tool;
  if (!session || !tool) return;
  const begun = await engine.db
    .selectFrom("session_end_calls")
    .select(["tool_call_id", "started_at", "finished_at"])
    .where("session_id", "=", session_id)
    .executeTakeFirst();
  if (begun?.finished_at) return;
  if (begun) {
    const age = engine.clock.now().getTime() - Date.parse(begun.started_at);
    if (age < LOST_AFTER_MS) throw new Error("the session end tool is being called");
    const call = { id: begun.tool_call_id, name: tool.name, arguments: {} };
    return finish(engine, session, tool, lostCall(call), { trace: [], rounds: [] });
  }

  const signal = AbortSignal.timeout(BUDGET_MS);
  const context = contextOf(engine, session, signal);
  const asked = await askForArguments(engine, session, tool, context);
  if (!(await begin(engine, session_id, asked.call))) return;
  const before = performance.now();
  const outcome = asked.problem ? failed(asked.problem) : await run(engine, context, tool, asked.call);
  const duration_ms = performance.now() - before;
  await finish(engine, session, tool, { call: asked.call, outcome, duration_ms }, asked);
}

type LoadedEnd = NonNullable<Awaited<ReturnType<typeof loadEnded>>>;

async function loadEnded(engine: Engine, session_id: number) {
  const row = await engine.db
    .selectFrom("sessions")
    .selectAll()
    .select([snapshotOf("sessions").as("snapshot"), sentRefsOf("sessions", 0).as("sent_refs")])
    .where("id", "=", session_id)
    .where("ended_at", "is not", null)
    .executeTakeFirst();
  if (!row) return undefined;
  const redactor = await loadRedactor(
    engine.db,
    { vault: engine.vault, now: engine.clock.now() },
    session_id,
  );
  const state = restoredState(redactor, row.state as SessionState);
  return { ...row, redactor, state };
}

function contextOf(engine: Engine, session: LoadedEnd, signal: AbortSignal): ToolContext {
  const { sub_organization_id, snapshot, state, channel, source, verified, agent_timezone: zone } = session;
  const { language } = state;
  const at = agentTime(engine.clock.now(), session.override_timestamp, zone);
  const now = localTime(at, zone);
  const lookupOf = (memory: SessionState) => {
    const voice = voiceInForce(channel, snapshot, memory.language);
    return sessionLookup(memory, systemVariables(sessionFacts(session), memory.language, now, voice));
  };
  return {
    session_id: session.id,
    sub_organization_id,
    snapshot,
    lookup: lookupOf(state),
    lookupAfter: (effects) => lookupOf(memoryAfter(state, effects)),
    language,
    channel,
    source,
    verified,
    at,
    now,
    signal,
  };
}

type Asked = { call: ToolCall; problem: string | null; trace: TraceEntry[]; rounds: SentRound[] };

/** The model is not asked for arguments when the tool takes none from it. */
async function askForArguments(
  engine: Engine,
  session: LoadedEnd,
  tool: SnapshotTool,
  { lookup, language, signal }: ToolContext,
): Promise<Asked> {
  const offered = offeredTool(tool, instructionLookup(lookup, authoredTexts(session.snapshot)));
  const none = { id: `call_${randomBase62(24)}`, name: tool.name, arguments: {} };
  if (Object.keys(offered.parameters.properties ?? {}).length === 0) {
    return { call: none, problem: null, trace: [], rounds: [] };
  }
  const { llm_config } = session.snapshot.prompt;
  const [history, model] = await Promise.all([
    loadHistory(engine, session.id),
    engine.resolveModel(session.sub_organization_id, llm_config),
  ]);
  const spoken = { code: language, changed: false };
  const messages = buildMessages(session.snapshot, session.redactor.restore(history), lookup, spoken);
  const request = {
    // Some providers reject a conversation whose last message is the agent's.
    messages: [...messages, { role: "user" as const, text: "(The conversation has ended.)" }],
    tools: [offered],
    tool_choice: { tool: tool.name },
    temperature: llm_config.temperature ?? null,
    seed: llm_config.seed ?? null,
    signal,
  };
  const round = await modelRound(model, request, engine.clock, { feed() {}, pause() {} });
  const told = { trace: [round.trace], rounds: [round.sent] };
  if (!round.ok) return { call: none, problem: `The model gave no arguments: ${round.error}`, ...told };
  const call = round.calls.find(({ name }) => name === tool.name);
  if (!call) return { call: none, problem: "The model gave no arguments.", ...told };
  return { call: storableJson(call), problem: null, ...told };
}

/** False when another process has stored it first. */
async function begin(engine: Engine, session_id: number, { id }: ToolCall): Promise<boolean> {
  const inserted = await engine.db
    .insertInto("session_end_calls")
    .values({ session_id, tool_call_id: id, started_at: engine.clock.now().toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

async function run(
  engine: Engine,
  context: ToolContext,
  tool: SnapshotTool,
  call: ToolCall,
): Promise<ToolOutcome> {
  try {
    const outcome = await runTool(engine, context, tool, call);
    return { ...outcome, result: storableJson(outcome.result) };
  } catch (error) {
    const why = publicText(error, engine.log, `the session end tool ${call.name} failed unexpectedly`);
    return failed(`The tool failed unexpectedly. ${why}`);
  }
}

type Ran = { call: ToolCall; outcome: ToolOutcome; duration_ms: number };

const lostCall = (call: ToolCall): Ran => ({
  call,
  outcome: failed("The program stopped during the call, so whether it took effect is not known."),
  duration_ms: 0,
});

/** Stores the call's result, its trace, its event and its completion in one transaction. */
async function finish(
  engine: Engine,
  session: LoadedEnd,
  tool: SnapshotTool,
  { call, outcome, duration_ms }: Ran,
  before: Pick<Asked, "trace" | "rounds">,
): Promise<void> {
  const { id: session_id, turn_count } = session;
  const at = engine.clock.now();
  const { effects, ...shown } = outcome;
  await engine.db.transaction().execute(async (tx) => {
    const done = await tx
      .updateTable("session_end_calls")
      .set({ finished_at: at.toISOString() })
      .where("session_id", "=", session_id)
      .where("finished_at", "is", null)
      .executeTakeFirst();
    if (done.numUpdatedRows === 0n) return;
    const variables = { ...session.state.variables, ...effects.variables };
    const state = redactedState(session.redactor, { ...session.state, variables });
    const { seq } = await tx
      .updateTable("sessions")
      .set((row) => ({ next_seq: row("next_seq", "+", 1), state: json(state) }))
      .where("id", "=", session_id)
      .returning((row) => row("next_seq", "-", 1).as("seq"))
      .executeTakeFirstOrThrow();
    const started = new Date(session.ended_at as string);
    const finished: FinishedCall = {
      seq,
      round: AFTER_ROUNDS,
      call,
      tool,
      outcome: shown,
      started,
      duration_ms,
    };
    const rows = redactedRows(session.redactor, {
      ...NO_ROWS,
      calls: [storedCall(finished, turn_count)],
      trace: [...before.trace, ...callTrace(finished)],
      rounds: before.rounds,
      exchanges: exchangesOf(finished),
      // Opt-outs are stored here too, so that a tool that reports one is right.
      opt_outs: effects.opt_out ? [{ ...effects.opt_out, at, message_id: null }] : [],
      call_backs: effects.call_back ? [effects.call_back] : [],
      events: eventsOf(session, tool, shown.error, effects, at),
    });
    await callInsert(callsValue(session_id, rows.calls)).execute(tx);
    await insertTrace(tx, session_id, turn_count, rows.trace, at);
    const { rows: sent } = sentRows(rows, sentSoFar(session.sent_refs?.map(([, refs]) => refs) ?? null));
    if (sent.length > 0)
      await sentInsert(session.sub_organization_id, sentValue(session_id, turn_count, sent)).execute(tx);
    await keepOriginals(tx, session_id, session.redactor);
    await suppress(tx, optOutEntries(session, await withWords(tx, session_id, rows.opt_outs)), at);
    for (const call_back of rows.call_backs) await engine.callBacks.book(tx, session, call_back, at);
    await publish(tx, session.sub_organization_id, rows.events);
    await queueIndexing(tx, session);
  });
}

function eventsOf(
  session: LoadedEnd,
  tool: SnapshotTool,
  error: string | null,
  { event }: ToolEffects,
  at: Date,
): NewEvent[] {
  const of = {
    at,
    source: "tool-call" as const,
    source_id: tool.id,
    session_id: session.id,
    conversation_id: session.conversation_id,
    user_id: session.source,
  };
  return [
    ...(error === null
      ? []
      : [
          {
            ...of,
            category: "automation",
            type: "tool-error",
            description: `${tool.name}: ${error}`,
          } as const,
        ]),
    ...(event ? [{ ...of, ...event }] : []),
  ];
}
