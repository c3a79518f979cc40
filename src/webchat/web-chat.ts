import type { WebSocket } from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import type { RawData } from "ws";
import { z } from "zod";
import { parseJsonBody } from "../api/body.ts";
import { inputErrors } from "../api/input-errors.ts";
import type { Api } from "../api/server.ts";
import { errorText, Fault, InvalidInput } from "../base/errors.ts";
import { randomBase62, randomId } from "../base/ids.ts";
import type { Engine } from "../sessions/engine.ts";
import type { ClientCall } from "../sessions/live/client-calls.ts";
import { endSession } from "../turns/end-session.ts";
import { fillWait } from "../turns/fill-wait.ts";
import { startSession } from "../turns/start-session.ts";
import { runTurn } from "../turns/turn.ts";
import { TurnControl } from "../turns/turn-control.ts";
import type { TurnEvent, TurnInput, TurnResult } from "../turns/turn-event.ts";
import { type ChatAnswer, ChatAnswers, EndedChat, OpenedChat, ResumedChat } from "./chat-answers.ts";
import { chatSoFar, shownCall } from "./chat-so-far.ts";
import { boundToken, requireAllowedSite, siteOf } from "./embedding-site.ts";
import { ChatToken, chatPath, type FoundChat, findChat } from "./find-chat.ts";
import { findTarget, pageVariables, Visit, visitorOf } from "./visitor.ts";
import { createVisitorLimit, type VisitorLimit } from "./visitor-limit.ts";

/**
 * Web chat. A page opens a session on a target (its client id) and gets a token that alone lets
 * it go on: over a WebSocket, or by plain HTTP where sockets don't get through. What the model and tools do stays with
 * the operator; a visitor sees words, typing, cards and the end.
 */
const ChatMessage = z.object({
  text: z.string().max(4000),
  id: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe("The page's own ID of the message: sent twice, answered once"),
});

/** A person does not write faster than this; what comes beyond is refused, not queued. */
const MAX_WAITING = 20;
/** Refused in a row, with nothing answered between them: no page of ours does that. */
const MAX_REFUSED = 200;

/** So long does a message wait for a place. */
const PATIENCE_MS = 60_000;
const CROWDED = "Many people are writing to us at the moment. Please send that again in a moment.";

type ChatSocketRoute = { Params: { session_id: string }; Querystring: { token?: string } };
type ChatSocketRequest = FastifyRequest<ChatSocketRoute>;

/** What a socket is sent: an aside is said while the answer is still being made. */
type ChatEvent =
  | ChatAnswer
  | { type: "typing"; text: string }
  /** A tool that runs in the page is called; the page answers by `POST …/client_calls/{key}`. */
  | ({ type: "client_call" } & ClientCall)
  /** All that answers the message of this number was sent; the page need not ask for it again. */
  | { type: "answered"; id: string }
  | { type: "error"; message: string; id?: string | null };

export function webChatRoutes(api: Api, engine: Engine): void {
  const tag = "chat";
  const open = { tag, permission: "public", calls_per_minute: 120 } as const;
  const limit = createVisitorLimit(engine.clock);

  api.post(
    "/chat/v1/sessions",
    { ...open, summary: "Open a chat session", body: Visit, response: OpenedChat, calls_per_minute: 30 },
    async ({ request, reply, body }) => {
      const target = await findTarget(engine, body.client_id);
      const site = siteOf(request);
      await requireAllowedSite(engine.db, site, target.channel_id);
      const visitor = visitorOf(engine, target, body);
      reply.headers(await engine.visitors.admit(target.sub_organization_id));
      const resume_token = randomBase62(40);
      const started = await startSession(engine, {
        sub_organization_id: target.sub_organization_id,
        agent_id: target.agent_id,
        channel: "chat",
        service: "webchat",
        type: "web_chat_v1",
        sid: randomId(),
        channel_target_id: target.id,
        ...visitor,
        target: target.target,
        is_test: target.is_test,
        is_outbound: false,
        variables: pageVariables(body),
        resume_token: boundToken(resume_token, site),
      });
      if (started.agent_initiated)
        await inTurn(engine, target, () => runTurn(engine, started.session_id, { text: null }));
      return {
        session_id: String(started.session_id),
        token: resume_token,
        greeting: started.greeting,
        verified: visitor.verified,
        ...(await chatSoFar(engine, started.session_id)),
      };
    },
  );

  api.get(
    "/chat/v1/sessions/:session_id",
    {
      ...open,
      summary: "Get a chat's messages, to resume it",
      params: chatPath,
      query: ChatToken,
      response: ResumedChat,
    },
    async ({ request, params, query }) => {
      const session = await findChat(engine, request, params.session_id, query.token);
      return { session_id: params.session_id, ...(await chatSoFar(engine, session.id)) };
    },
  );

  api.post(
    "/chat/v1/sessions/:session_id/messages",
    {
      ...open,
      summary: "Send a chat message without a WebSocket",
      params: chatPath,
      query: ChatToken,
      body: ChatMessage,
      response: ChatAnswers,
    },
    async ({ request, params, query, body }) => {
      const session = await findChat(engine, request, params.session_id, query.token);
      const events: ChatAnswer[] = [];
      await withinLimit(limit, session.id, () =>
        inTurn(engine, session, () =>
          runTurn(engine, session.id, turnInput(body), (event) => {
            const shown = shownToVisitor(engine, event);
            if (isAnswer(shown)) events.push(shown);
          }),
        ),
      );
      return { events };
    },
  );

  api.post(
    "/chat/v1/sessions/:session_id/end",
    {
      ...open,
      summary: "End a chat",
      params: chatPath,
      query: ChatToken,
      body: z.unknown(),
      response: EndedChat,
    },
    async ({ request, params, query }) => {
      const session = await findChat(engine, request, params.session_id, query.token);
      await endSession(engine, session.id, "user");
      return { ended: true as const };
    },
  );

  api.server.get<ChatSocketRoute>(
    "/chat/v1/sessions/:session_id/socket",
    { websocket: true, schema: { hide: true } },
    async (socket, request) => {
      // Messages are answered one after the other, in the order they came: a lease alone would let those that wait
      // overtake one another. The first wait until the session is known.
      let waiting = 0;
      let refused = 0;
      const { session_id } = request.params;
      const admitted = admit(engine, socket, request);
      let last: Promise<unknown> = admitted;
      /** The turn that is under way, and the page's number of its message. */
      const running: StoppableTurn = { id: null, control: null };
      const take = (data: RawData) => {
        const stop = stopOf(String(data));
        if (stop && running.control && stop.id === running.id) return running.control.interrupt();
        if (stop || waiting >= MAX_WAITING) {
          // What stops nothing came late, and needs no answer.
          if (!stop) send(socket, { type: "error", message: "Too many messages at once." });
          if (++refused < MAX_REFUSED) return;
          engine.log.warn({ session_id, refused }, "a chat's socket was flooded and closed");
          // While it closes, more may come.
          socket.off("message", take);
          return socket.close(1008);
        }
        refused = 0;
        waiting++;
        last = last
          .then(async () => {
            const session = await admitted;
            if (session) await receive(engine, limit, { socket, running }, session, String(data));
          })
          .finally(() => waiting--);
      };
      socket.on("message", take);
      // After what this socket is being answered: its own last words come before the end.
      const unwatch = engine.ends.watch(Number(session_id), (reason) => {
        last = last.then(() => tellEnd(socket, reason));
      });
      socket.on("close", unwatch);
      // The token is checked before anything is shown.
      void admitted.then((session) => {
        if (!session || socket.readyState !== socket.OPEN) return;
        const shown = { type: "message", role: "agent" } as const;
        const leave = engine.words.watch(session.id, ({ text, timestamp }) => {
          last = last.then(() => send(socket, { ...shown, text, timestamp }));
        });
        socket.on("close", leave);
      });
      // A frame that is too large, or none: the socket is closed by then.
      socket.on("error", (error) =>
        engine.log.warn({ session_id, reason: errorText(error) }, "a chat's socket sent what can't be read"),
      );
    },
  );
}

/** A turn that fails, or that the model had no answer for, is not the visitor's to pay for. */
async function withinLimit(
  limit: VisitorLimit,
  session_id: number,
  turn: () => Promise<TurnResult>,
): Promise<TurnResult> {
  refuseHaste(limit, session_id);
  let isAnswered = false;
  try {
    const result = await turn();
    isAnswered = !result.failed;
    return result;
  } finally {
    if (!isAnswered) limit.takeBack(String(session_id));
  }
}

/**
 * Runs a turn in one of the places that its sub-organization finds free, and waits in order for one until then: however
 * many slow chats one of them has, the next one's first message finds a place.
 */
async function inTurn<T>(
  { chatTurns }: Engine,
  { sub_organization_id }: { sub_organization_id: number },
  turn: () => Promise<T>,
): Promise<T> {
  const leave = await chatTurns.enter(String(sub_organization_id), PATIENCE_MS, CROWDED);
  try {
    return await turn();
  } finally {
    leave();
  }
}

/** One chat, one visitor: over a socket or without, it is the same minute. */
function refuseHaste(limit: VisitorLimit, session_id: number): void {
  const retry_after_s = limit.wait_s(String(session_id));
  if (retry_after_s === null) return;
  throw new Fault("too-many", `That was a lot at once. Please write again in ${retry_after_s} s.`, {
    retry_after_s,
  });
}

const turnInput = (message: z.infer<typeof ChatMessage>) => ({
  text: message.text,
  client_message_id: message.id ?? null,
  has_page: true,
});

/** Closes a socket that names no open session of its token; `receive` answers nothing on a closed one. */
async function admit(
  engine: Engine,
  socket: WebSocket,
  request: ChatSocketRequest,
): Promise<FoundChat | null> {
  try {
    const { params, query } = request;
    const session = await findChat(engine, request, params.session_id, query.token ?? "");
    if (session.ended_at !== null) close(socket, "This session has ended.");
    return session;
  } catch (error) {
    close(socket, error instanceof Fault ? error.message : "The chat can't be opened.");
    return null;
  }
}

/** The chat was ended elsewhere: in another tab, for silence, or over the API. */
function tellEnd(socket: WebSocket, reason: string): void {
  send(socket, { type: "session_end", reason });
  if (socket.readyState === socket.OPEN) socket.close(1000);
}

/** One frame from a page: `{text, id?}`. Whatever is wrong is answered in words; the socket stays open. */
async function receive(
  engine: Engine,
  limit: VisitorLimit,
  { socket, running }: { socket: WebSocket; running: StoppableTurn },
  session: FoundChat,
  data: string,
): Promise<void> {
  const session_id = session.id;
  if (socket.readyState !== socket.OPEN) return;
  let id: string | null = null;
  try {
    const given = parseJsonBody(data) ?? {};
    const message = ChatMessage.safeParse(given);
    if (!message.success) throw inputErrors("body", message.error.issues, given);
    id = message.data.id ?? null;
    const input = turnInput(message.data);
    const { ended } = await withinLimit(limit, session_id, () =>
      inTurn(engine, session, () =>
        runWatchedTurn(engine, session_id, { ...input, control: begin(running, id) }, (event) => {
          const shown = shownToVisitor(engine, event);
          if (shown) send(socket, shown);
        }),
      ),
    );
    if (id !== null) send(socket, { type: "answered", id });
    if (ended) socket.close(1000);
  } catch (error) {
    const known = error instanceof Fault || error instanceof InvalidInput;
    if (!known) engine.log.error({ err: error, session_id }, "a chat message failed");
    const text = known ? error.message : "Something went wrong. Please send that again.";
    send(socket, { type: "error", message: text, id });
  } finally {
    running.control = null;
  }
}

type StoppableTurn = { id: string | null; control: TurnControl | null };

function begin(running: StoppableTurn, id: string | null): TurnControl {
  const control = new TurnControl();
  running.id = id;
  running.control = control;
  return control;
}

const Stop = z.object({ type: z.literal("stop"), id: z.string().nullish().default(null) });
const MOST_STOP_CHARACTERS = 300;

/** `{type: "stop", id}`: the visitor has read enough of the answer to this message. */
function stopOf(data: string): z.infer<typeof Stop> | null {
  if (data.length > MOST_STOP_CHARACTERS || !data.includes('"stop"')) return null;
  try {
    return Stop.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    return null;
  }
}

/** A turn that somebody waits for: what the agent says while it takes long is told, too. */
async function runWatchedTurn(
  engine: Engine,
  session_id: number,
  input: TurnInput & { control: TurnControl },
  emit: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const wait = fillWait(engine, session_id, input.control, emit);
  try {
    return await runTurn(engine, session_id, input, (event) => {
      wait.see(event);
      emit(event);
    });
  } finally {
    wait.stop();
  }
}

const isAnswer = (event: ChatEvent | null): event is ChatAnswer =>
  event !== null && !["typing", "client_call", "answered", "error"].includes(event.type);

function shownToVisitor(engine: Engine, event: TurnEvent): ChatEvent | null {
  switch (event.type) {
    case "delta":
      return { type: "typing", text: event.text };
    case "message":
      return {
        type: "message",
        role: "agent",
        text: event.text,
        timestamp: engine.clock.now().toISOString(),
      };
    case "tool_call":
      return { type: "typing", text: "" };
    case "tool_result":
      if (event.display_result) {
        return { type: "tool_display", tool_name: event.tool_name, display_result: event.display_result };
      }
      return event.propagated && shownCall({ ...event, ...event.propagated });
    case "client_call":
      return { type: "client_call", ...event.call };
    case "aside":
      return { type: "aside", text: event.text };
    case "words_over":
    case "language":
    case "keys":
      return null;
    case "session_end":
      return event;
  }
}

function send(socket: WebSocket, event: ChatEvent): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
}

function close(socket: WebSocket, message: string): void {
  send(socket, { type: "error", message });
  socket.close(1008);
}
