import { z } from "zod";
import { freezeSnapshot } from "../agents/snapshot.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { NO_ENGINES, type VoiceEngines } from "../media/voice-engines.ts";
import type { Engine } from "../sessions/engine.ts";
import { underVars } from "../sessions/variables.ts";
import { languageOf, TEST_START } from "../tryout/test-start.ts";
import { BROWSER } from "./call-store.ts";
import type { VoiceCalls } from "./voice-calls.ts";

type Deps = { engine: Engine; calls: VoiceCalls; engines: VoiceEngines | null };

const TestCall = z
  .strictObject({
    source: z.string().max(255).nullish().describe("Who calls; default: your e-mail address."),
    variables: TEST_START.variables,
    language: TEST_START.language,
  })
  .meta({ id: "TestCall" });

const TestCallOpened = z
  .object({
    call_id: z.string(),
    token: z.string().describe("Opens the socket of the call once: `/chat/v1/calls/socket`."),
    session_id: z.int(),
    language: z.string().nullable(),
  })
  .meta({ id: "TestCallOpened" });

/** An author talks with the draft by voice, over the socket that calls from chat pages use. No channel is needed. */
export function draftCallRoutes(api: Api, { engine, calls, engines }: Deps): void {
  api.post(
    "/api/v1/agents/:agent_id/test/calls",
    {
      summary: "Call the draft of an agent by voice",
      description:
        "A test session, as with `POST /api/v1/agents/test/messages`. The token opens its sound: a WebSocket of 16-bit samples at 16 kHz both ways.",
      tag: "agents",
      permission: "chat",
      params: z.object({ agent_id: recordId() }),
      body: TestCall,
      response: TestCallOpened,
      calls_per_minute: 30,
    },
    async ({ caller, params: { agent_id }, body }) => {
      const snapshot = await freezeSnapshot(engine.db, caller.sub_organization_id, agent_id, "draft");
      const language = languageOf(snapshot, body.language);
      if (!engines || engines.missing) throw new Fault("unsupported", engines?.missing ?? NO_ENGINES);
      const sid = randomId();
      const person = body.source?.trim() || caller.email;
      // Before its tools are called: what may have been sent is in the trail whatever comes of it.
      await engine.db.transaction().execute((tx) =>
        api.audit(tx, caller, {
          action: "test",
          resource: "agents",
          resource_id: agent_id,
          after: { name: snapshot.agent.name, source: person, call: sid },
        }),
      );
      const { call_id, token, voice } = await calls.answerPage(
        { carrier: BROWSER, sid, key: null, from: person, to: "console" },
        {
          sub_organization_id: caller.sub_organization_id,
          agent_id,
          held_with: snapshot,
          language,
          channel_id: null,
          channel_service: BROWSER,
          is_streamed: false,
          channel_target_id: null,
          fallback_target: null,
          is_test: true,
          is_outbound: false,
          person,
          number: "console",
          caller_id: null,
          variables: underVars(body.variables ?? {}),
          voicemail_detection: null,
          visitor: { verified: true, claimed_user: null, user_name: null },
        },
      );
      const { session_id } = await engine.db
        .selectFrom("calls")
        .select("session_id")
        .where("id", "=", Number(call_id))
        .executeTakeFirstOrThrow();
      return { call_id, token, session_id, language: language ?? voice.languages[0]?.code ?? null };
    },
  );
}
