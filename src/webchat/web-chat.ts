import { z } from "zod";
import type { Api } from "../api/server.ts";
import { randomBase62, randomId } from "../base/ids.ts";
import type { Notices } from "../db/notices.ts";
import type { Engine } from "../sessions/engine.ts";
import { endSession } from "../turns/end-session.ts";
import { startSession } from "../turns/start-session.ts";
import { repeatEnded } from "../turns/stored-answer.ts";
import { runTurn } from "../turns/turn.ts";
import type { TurnEvent } from "../turns/turn-event.ts";
import { type ChatAnswer, ChatAnswers, EndedChat, OpenedChat, ResumedChat } from "./chat-answers.ts";
import { chatSoFar } from "./chat-so-far.ts";
import { chatSocketRoute } from "./chat-socket.ts";
import { ChatMessage, inTurn, isAnswer, shownToVisitor, turnInput, withinLimit } from "./chat-turn.ts";
import { boundToken, requireAllowedSite, siteOf } from "./embedding-site.ts";
import { ChatToken, chatPath, findChat } from "./find-chat.ts";
import { findTarget, pageVariables, Visit, visitorOf } from "./visitor.ts";
import { createVisitorLimit } from "./visitor-limit.ts";

/**
 * Web chat. A page opens a session on a target (its client id) and gets a token that alone lets
 * it go on: over a WebSocket, or by plain HTTP where sockets don't get through. What the model and tools do stays with
 * the operator; a visitor sees words, typing, cards and the end.
 */
export function webChatRoutes(api: Api, engine: Engine, notices: Notices): void {
  const tag = "chat";
  const open = { tag, permission: "public", calls_per_minute: 120 } as const;
  const limit = createVisitorLimit(engine.clock);

  api.post(
    "/chat/v1/sessions",
    {
      ...open,
      summary: "Open a chat session",
      description:
        "Then messages go over the WebSocket `/chat/v1/sessions/{session_id}/socket?token={token}`, whose frames are in the documentation under *Chat from a client of your own*, or by POST without one.",
      body: Visit,
      response: OpenedChat,
      calls_per_minute: 30,
    },
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
      const show = (event: TurnEvent): void => {
        const shown = shownToVisitor(event);
        if (isAnswer(shown)) events.push(shown);
      };
      // The answer that ended the chat may be the one that never arrived.
      const isRepeated =
        session.ended_at !== null &&
        body.id != null &&
        (await repeatEnded(engine, session.id, body.id, show));
      if (!isRepeated)
        await withinLimit(limit, session.id, () =>
          inTurn(engine, session, () => runTurn(engine, session.id, turnInput(body), show)),
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

  chatSocketRoute(api, engine, { limit, notices });
}
