import { z } from "zod";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { NO_ENGINES, type VoiceEngines } from "../media/voice-engines.ts";
import type { Engine } from "../sessions/engine.ts";
import { soundAt } from "../speech/wait-sound.ts";
import { requireAllowedSite, siteOf, siteTokens } from "../webchat/embedding-site.ts";
import { findTarget, pageVariables, Visit, visitorOf } from "../webchat/visitor.ts";
import { BROWSER } from "./call-store.ts";
import { holdBrowserCall } from "./lines/browser-line.ts";
import type { VoiceCalls } from "./voice-calls.ts";

const OpenedChatCall = z
  .object({
    call_id: z.string(),
    token: z.string().describe("Opens the call's socket, once"),
    verified: z.boolean(),
    language: z.string().nullable(),
  })
  .meta({ id: "OpenedChatCall" });

type Deps = { engine: Engine; calls: VoiceCalls; engines: VoiceEngines | null };

/**
 * Calls from a web page: a visitor of a chat page talks with its agent by voice. The page requests a call, then opens its
 * socket with a token that works once.
 */
export function browserCallRoutes(api: Api, { engine, calls, engines }: Deps): void {
  const tag = "chat";

  api.post(
    "/chat/v1/calls",
    {
      tag,
      permission: "public",
      summary: "Call a chat's agent by voice",
      body: Visit,
      response: OpenedChatCall,
      calls_per_minute: 30,
    },
    async ({ request, reply, body }) => {
      const target = await findTarget(engine, body.client_id);
      const site = siteOf(request);
      await requireAllowedSite(engine.db, site, target.channel_id);
      if (!target.browser_calls)
        throw new Fault("forbidden", `${body.client_id} takes no calls from its page.`);
      if (!engines || engines.missing) throw new Fault("unsupported", engines?.missing ?? NO_ENGINES);
      const { source, verified, claimed_user, user_name } = visitorOf(engine, target, body);
      reply.headers(await engine.visitors.admit(target.sub_organization_id));
      const answered = await calls.answerPage(
        { carrier: BROWSER, sid: randomId(), key: null, from: source, to: target.target },
        {
          sub_organization_id: target.sub_organization_id,
          agent_id: target.agent_id,
          channel_id: target.channel_id,
          channel_service: BROWSER,
          is_streamed: false,
          channel_target_id: target.id,
          fallback_target: null,
          is_test: target.is_test,
          is_outbound: false,
          person: source,
          number: target.target,
          caller_id: null,
          variables: pageVariables(body) ?? {},
          voicemail_detection: null,
          visitor: { verified, claimed_user, user_name },
        },
      );
      const { call_id, voice } = answered;
      const token = siteTokens(engine.vault, site).write(answered.token);
      return { call_id, token, verified, language: voice.languages[0]?.code ?? null };
    },
  );

  const options = { websocket: true, schema: { hide: true }, config: { shared_path: true } } as const;
  api.server.get("/chat/v1/calls/socket", options, (socket, request) => {
    if (!engines || engines.missing) return socket.close(1011);
    const { clock, log, vault } = engine;
    const tokens = siteTokens(vault, siteOf(request));
    holdBrowserCall({ calls, engines, clock, log, soundAt, tokens }, socket);
  });
}
