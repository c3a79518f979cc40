import { z } from "zod";
import { auditCounted } from "../accounts/audit/counted-audit.ts";
import { freezeSnapshot } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { type EventStream, eventStreams, wantsEvents } from "../api/event-stream.ts";
import type { Api } from "../api/server.ts";
import { Fault, InvalidInput } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import { type SessionState, underVars } from "../sessions/variables.ts";
import { fillWait } from "../turns/fill-wait.ts";
import { startSession } from "../turns/start-session.ts";
import { runTurn } from "../turns/turn.ts";
import { TurnControl } from "../turns/turn-control.ts";
import type { TurnEvent, TurnResult } from "../turns/turn-event.ts";
import { languageOf, TEST_START } from "./test-start.ts";

/** One turn with an agent under test; the same `test_id` goes on with the same session. */
const TestMessage = z
  .object({
    service_name: z.string(),
    source: z.string(),
    test_id: z.string().min(1).max(255),
    agent_id: z.string(),
    text: z
      .string()
      .max(20_000)
      .nullish()
      .describe("Empty or null: silence, or only the greeting at the start"),
    org_name: z.string().nullish().meta({ deprecated: true }),
    override_timestamp: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/, { abort: true })
      .refine(isLocalTime, "Input should be a valid datetime")
      .nullish()
      .describe("The agent's wall clock for this turn, YYYY-MM-DDTHH:MM:SS without a zone"),
    ...TEST_START,
    session_start: z.boolean().default(false),
    verified: z
      .boolean()
      .default(true)
      .describe("Whether the test plays somebody who was proven to be `source`"),
  })
  .meta({ id: "TestMessage" });

const TestMessageResponse = z
  .object({
    test_id: z.string(),
    agent_id: z.string(),
    text: z.string(),
    response: z.unknown(),
    response_text: z.string(),
  })
  .meta({ id: "TestMessageResponse" });

const SERVICE = "console";
/** Words of one turn. A reader that left so many unread is gone. */
const MOST_UNREAD_BYTES = 2 * 1024 * 1024;

type Message = z.infer<typeof TestMessage>;
type Answer = z.infer<typeof TestMessageResponse>;
type Opened = Awaited<ReturnType<typeof open>>;

export function testAgentRoutes(api: Api, engine: Engine): void {
  const openStream = eventStreams(api);
  api.post(
    "/api/v1/agents/test/messages",
    {
      summary: "Talk with an agent in a test session",
      description:
        "With `Accept: text/event-stream` the answer is a stream of server-sent events: `started` with the session and its greeting, then what happens as it happens (`delta` with words of the model, `message` with what was said, `tool_call` and `tool_result`, `aside`, `language`, `session_end`), and last `answered` with this answer, or `failed` with a sentence. Closing the connection stops the agent's answer: a tool that runs is finished, and what was said until then is stored.",
      tag: "agents",
      permission: "chat",
      body: TestMessage,
      response: TestMessageResponse,
    },
    async ({ caller, body, request, reply }) => {
      const opened = await open(engine, caller, body);
      if (!wantsEvents(request.headers.accept)) return talk(engine, body, opened);
      const stream = openStream(reply, MOST_UNREAD_BYTES);
      void streamTalk(engine, body, opened, stream);
      return stream.body;
    },
  );
}

/** The test's open session, or a new one, and the entry of the audit log. */
async function open(engine: Engine, caller: Caller, body: Message) {
  const agent_id = agentNumber(body.agent_id);
  const known = body.session_start ? undefined : await openSession(engine, caller, body.test_id, agent_id);
  const snapshot = known
    ? null
    : await freezeSnapshot(engine.db, caller.sub_organization_id, agent_id, "draft");
  const started =
    snapshot &&
    (await startSession(engine, {
      sub_organization_id: caller.sub_organization_id,
      agent_id,
      held_with: snapshot,
      channel: body.channel ?? "chat",
      variables: underVars(body.variables ?? {}),
      language: languageOf(snapshot, body.language),
      service: SERVICE,
      type: "console_test_v1",
      sid: body.test_id,
      channel_target_id: null,
      source: body.source,
      target: body.service_name,
      is_test: true,
      is_outbound: false,
      verified: body.verified,
      override_timestamp: body.override_timestamp ?? null,
    }));
  const session_id = known?.id ?? (started?.session_id as number);
  const conversation_id = known?.conversation_id ?? (started?.conversation_id as number);
  // Before its tools are called: what may have been sent is in the trail whatever comes of it.
  await audited(engine, caller, { agent_id, session_id, body });
  return { session_id, conversation_id, started };
}

type Watched = { control: TurnControl; emit(event: TurnEvent): void };

/** The turns of one message. A start without words only greets, unless the agent is one that speaks first. */
async function talk(
  engine: Engine,
  body: Message,
  { session_id, conversation_id, started }: Opened,
  watched?: Watched,
): Promise<Answer> {
  const text = body.text ?? "";
  const override_timestamp = body.override_timestamp ?? null;
  const run = (said: string | null) =>
    runTurn(
      engine,
      session_id,
      { text: said, override_timestamp, ...(watched && { control: watched.control }) },
      watched?.emit,
    );
  const turns: TurnResult[] = [];
  if (started?.agent_initiated) turns.push(await run(null));
  if (!started || text !== "") turns.push(await run(text));

  const said = [started?.greeting, ...turns.flatMap((turn) => turn.messages)].filter((part) => part != null);
  const response_text = said.join("\n\n");
  const last = turns.at(-1);
  return {
    test_id: body.test_id,
    agent_id: body.agent_id,
    text,
    response: {
      status: "ok",
      content: {
        session_id,
        conversation_id,
        text: response_text,
        action: last?.action ?? null,
        language: last?.language ?? started?.language,
        tool_calls: turns.flatMap((turn) => turn.calls).map(shownCall),
        display_results: turns
          .flatMap((turn) => turn.calls.map((call) => call.display_result))
          .filter(Boolean),
        variables: last?.variables ?? (await variablesOf(engine, session_id)),
        ended: last?.ended ?? false,
      },
    },
    response_text,
  };
}

/** The same, streamed as it happens. A reader that leaves stops the answer. */
async function streamTalk(engine: Engine, body: Message, opened: Opened, stream: EventStream): Promise<void> {
  const { session_id, conversation_id, started } = opened;
  const control = new TurnControl();
  const emit = (event: TurnEvent) => {
    const { type, ...data } = event;
    // Of use only to who speaks the words.
    if (type === "text_end") return;
    stream.send(type, event.type === "message" ? { text: event.text } : data);
  };
  const wait = fillWait(engine, session_id, control, emit);
  let isOver = false;
  stream.onClose(() => {
    if (!isOver) control.interrupt();
  });
  stream.send("started", { session_id, conversation_id, greeting: started?.greeting ?? null });
  try {
    const watched = {
      control,
      emit: (event: TurnEvent) => {
        wait.see(event);
        emit(event);
      },
    };
    stream.send("answered", await talk(engine, body, opened, watched));
  } catch (error) {
    const known = error instanceof Fault || error instanceof InvalidInput;
    if (!known) engine.log.error({ err: error, session_id }, "a test message failed");
    stream.send("failed", { detail: known ? error.message : "Something went wrong. Please try again." });
  } finally {
    isOver = true;
    wait.stop();
    stream.end();
  }
}

/** One entry for each person and session, which counts what they said in an hour; not what it was. */
async function audited(
  { db, clock }: Engine,
  caller: Caller,
  { agent_id, session_id, body }: { agent_id: number; session_id: number; body: Message },
): Promise<void> {
  const { name } = await db
    .selectFrom("agents")
    .select("name")
    .where("id", "=", agent_id)
    .executeTakeFirstOrThrow();
  const { test_id, source, verified } = body;
  await auditCounted(db, clock.now(), [
    {
      by: caller,
      entry: {
        action: "test",
        resource: "agents",
        resource_id: agent_id,
        after: { name, session_id, test_id, source, verified },
      },
      key: `test ${session_id} ${caller.user_id} ${caller.api_token_id} ${caller.address}`,
    },
  ]);
}

const shownCall = (call: TurnResult["calls"][number]) => ({
  tool_call_id: call.tool_call_id,
  tool_name: call.tool_name,
  tool_arguments: call.arguments,
  tool_request: call.request,
  tool_result: call.result,
  tool_error: call.error,
  duration_ms: call.duration_ms,
});

/** The agent's, and what its workflows have set; of a session that only greeted. */
async function variablesOf({ db }: Engine, session_id: number): Promise<Record<string, unknown>> {
  const { state } = await db
    .selectFrom("sessions")
    .select("state")
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  return (state as SessionState).variables;
}

function agentNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Fault("not-found", `Agent with ID ${text} not found`);
}

/** This test's newest session, unless it has ended: one before it was left behind. Each agent has test ids of its own. */
async function openSession(engine: Engine, caller: Caller, test_id: string, agent_id: number) {
  const newest = await engine.db
    .selectFrom("sessions")
    .select(["id", "conversation_id", "ended_at"])
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("channel_manager_service", "=", SERVICE)
    .where("channel_manager_sid", "=", test_id)
    .where("agent_id", "=", agent_id)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.ended_at === null ? newest : undefined;
}

function isLocalTime(text: string): boolean {
  try {
    Temporal.PlainDateTime.from(text, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}
