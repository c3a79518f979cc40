import type { WebSocket } from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import type { RawData } from "ws";
import { z } from "zod";
import { parseJsonBody } from "../api/input/body.ts";
import { inputErrors } from "../api/input/input-errors.ts";
import { queryInteger } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { errorText, Fault, InvalidInput } from "../base/errors.ts";
import { tryParseJson } from "../base/parse-json.ts";
import type { Notices } from "../db/notices.ts";
import type { Engine } from "../sessions/engine.ts";
import { fillWait } from "../turns/fill-wait.ts";
import { runTurn } from "../turns/turn.ts";
import { TurnControl } from "../turns/turn-control.ts";
import type { TurnEvent, TurnInput, TurnResult } from "../turns/turn-event.ts";
import type { ChatEvent } from "./chat-answers.ts";
import { ChatMessage, inTurn, shownToVisitor, turnInput, withinLimit } from "./chat-turn.ts";
import { type FoundChat, findChat } from "./find-chat.ts";
import { type TakenMessage, TakenMessages } from "./taken-messages.ts";
import type { VisitorLimit } from "./visitor-limit.ts";

/** A person does not write faster than this; what comes beyond is refused, not queued. */
const MAX_WAITING = 20;
/** Refused in a row, with nothing answered between them: no page of ours does that. */
const MAX_REFUSED = 200;
/** How many different messages one socket may stop in other processes, too. */
const MAX_STOPPED = 200;

type ChatSocketRoute = { Params: { session_id: string }; Querystring: { token?: string; after?: string } };
type ChatSocketRequest = FastifyRequest<ChatSocketRoute>;

/** The socket of a chat: `{text, id?}` from the page, and what a visitor is shown from us. */
export function chatSocketRoute(
  api: Api,
  engine: Engine,
  { limit, notices }: { limit: VisitorLimit; notices: Notices },
): void {
  const taken = new TakenMessages({ db: engine.db, notices });
  api.server.get<ChatSocketRoute>(
    "/chat/v1/sessions/:session_id/socket",
    { websocket: true, schema: { hide: true } },
    async (socket, request) => {
      // Messages are answered one after the other, in the order they came: a lease alone would let those that wait
      // overtake one another. The first wait until the session is known.
      let refused = 0;
      const { session_id } = request.params;
      const admitted = admit(engine, socket, request);
      let last: Promise<unknown> = admitted;
      const unanswered = new Set<TakenMessage>();
      const stopped = new Set<string>();
      const stopAnswer = async (id: string) => {
        const named = taken.named(session_id, id);
        if (!(await admitted)) return;
        for (const { control } of named) control.interrupt();
        if (stopped.has(id) || stopped.size === MAX_STOPPED) return;
        stopped.add(id);
        await taken.stopEverywhere(session_id, id);
      };
      const take = (data: RawData) => {
        const stop = stopOf(String(data));
        if (stop?.id) {
          stopAnswer(stop.id).catch((error) =>
            engine.log.warn({ session_id, reason: errorText(error) }, "a stop reached this process only"),
          );
          if (taken.named(session_id, stop.id).length > 0) return;
        }
        if (stop || unanswered.size >= MAX_WAITING) {
          // A stop that matches nothing here came late or is for another process; neither needs an answer.
          if (!stop) send(socket, { type: "error", message: "Too many messages at once." });
          if (++refused < MAX_REFUSED) return;
          engine.log.warn({ session_id, refused }, "a chat's socket was flooded and closed");
          // While it closes, more may come.
          socket.off("message", take);
          return socket.close(1008);
        }
        refused = 0;
        const message = takenMessage(String(data));
        unanswered.add(message);
        taken.add(session_id, message);
        last = last
          .then(async () => {
            const session = await admitted;
            if (session) await answer(engine, limit, socket, session, message);
          })
          .finally(() => {
            unanswered.delete(message);
            taken.delete(session_id, message);
          });
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
        const leave = engine.words.watch(session.id, session.after, ({ text, timestamp, seq }) => {
          last = last.then(() => send(socket, { ...shown, text, timestamp, position: seq }));
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

/** The query of a socket's address. `after`: the `position` of the chat that the page shows. */
const SocketQuery = z.object({
  token: z.string().default(""),
  after: queryInteger({ min: -1, max: 2 ** 31 - 1 }).optional(),
});

type Admitted = FoundChat & { after: number | "now" };

/** Closes a socket that names no open session of its token; `answer` says nothing on a closed one. */
async function admit(
  engine: Engine,
  socket: WebSocket,
  request: ChatSocketRequest,
): Promise<Admitted | null> {
  try {
    const query = SocketQuery.safeParse(request.query);
    if (!query.success) throw inputErrors("query", query.error.issues, request.query);
    const session = await findChat(engine, request, request.params.session_id, query.data.token);
    if (session.ended_at !== null) close(socket, "This session has ended.");
    return { ...session, after: query.data.after ?? "now" };
  } catch (error) {
    const known = error instanceof Fault || error instanceof InvalidInput;
    if (!known)
      engine.log.error(
        { err: error, session_id: request.params.session_id },
        "a chat's socket could not be opened",
      );
    close(socket, known ? error.message : "The chat can't be opened.");
    return null;
  }
}

/** The chat was ended elsewhere: in another tab, for silence, or over the API. */
function tellEnd(socket: WebSocket, reason: string): void {
  send(socket, { type: "session_end", reason });
  if (socket.readyState === socket.OPEN) socket.close(1000);
}

function takenMessage(frame: string): TakenMessage {
  const control = new TurnControl();
  const id = MessageId.safeParse(tryParseJson(frame) ?? {}).data?.id ?? null;
  try {
    const given = parseJsonBody(frame) ?? {};
    return { id, control, given: () => given };
  } catch (error) {
    const given = () => {
      throw error;
    };
    return { id, control, given };
  }
}

/** Also of a message that is refused, as for a NUL in its text: the page waits for what becomes of it. */
const MessageId = ChatMessage.pick({ id: true });

/** Answers a message from a page: `{text, id?}`. Whatever is wrong is answered in words; the socket stays open. */
async function answer(
  engine: Engine,
  limit: VisitorLimit,
  socket: WebSocket,
  session: FoundChat,
  { id, control, given }: TakenMessage,
): Promise<void> {
  const session_id = session.id;
  if (socket.readyState !== socket.OPEN) return;
  try {
    const body = given();
    const message = ChatMessage.safeParse(body);
    if (!message.success) throw inputErrors("body", message.error.issues, body);
    const input = { ...turnInput(message.data), control };
    const { ended } = await withinLimit(limit, session_id, () =>
      inTurn(engine, session, () =>
        runWatchedTurn(engine, session_id, input, (event) => {
          const shown = shownToVisitor(event);
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
  }
}

const Stop = z.object({ type: z.literal("stop"), id: z.string().nullish().default(null) });
const MOST_STOP_CHARACTERS = 300;

/** `{type: "stop", id}`: the visitor has read enough of the answer to this message. */
function stopOf(data: string): z.infer<typeof Stop> | null {
  if (data.length > MOST_STOP_CHARACTERS || !data.includes('"stop"')) return null;
  return Stop.safeParse(tryParseJson(data)).data ?? null;
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

function send(socket: WebSocket, event: ChatEvent): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
}

function close(socket: WebSocket, message: string): void {
  send(socket, { type: "error", message });
  socket.close(1008);
}
