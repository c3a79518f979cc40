import { z } from "zod";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { errorText } from "../base/errors.ts";
import type { Carriers } from "../channels/carrier.ts";
import type { Engine } from "../sessions/engine.ts";
import { hangUp } from "../sessions/hang-up.ts";
import { lockSession } from "../sessions/live/takeover.ts";
import { findSession } from "../sessions/session.ts";
import { endSession } from "../turns/end-session.ts";
import { BROWSER, callOfSession, endCall, wishHangUp } from "./call-store.ts";
import { isHeld } from "./lines/line-store.ts";

const EndedConversation = z.object({ session_id: z.int() }).meta({ id: "EndedConversation" });

/** A person ends a running conversation, on any channel. */
export function endConversationRoutes(
  api: Api,
  { engine, carriers }: { engine: Engine; carriers: Carriers },
): void {
  const { db, clock, log } = engine;
  api.post(
    "/api/v1/sessions/:session_id/end",
    {
      summary: "Hang up a call, or end a conversation",
      description:
        "A call is hung up within about two seconds, without a goodbye. On other channels an answer that the agent has begun is finished, then the conversation ends. Its end reason is `operator`.",
      tag: "sessions",
      permission: "sessions_intervene",
      params: z.object({ session_id: recordId() }),
      response: EndedConversation,
    },
    async ({ caller, params: { session_id } }) => {
      const call = await db.transaction().execute(async (tx) => {
        await findSession(tx, caller, session_id);
        await lockSession(tx, session_id);
        const running = await callOfSession(tx, session_id);
        if (running) await wishHangUp(tx, running.id, caller.email);
        await api.audit(tx, caller, { action: "end", resource: "sessions", resource_id: session_id });
        return running;
      });
      // The process that holds the line reads the wish with its next renewal, and stores the end.
      if (call && isHeld(call, clock.now())) return { session_id };
      if (call && call.carrier !== BROWSER) {
        // Whatever the carrier says: the call is over for us, and its line is not opened again.
        await hangUp(carriers, db, call).catch((error) =>
          log.warn({ error: errorText(error), session_id }, "a call without a line could not be hung up"),
        );
      }
      await endSession(engine, session_id, "operator");
      if (call) await endCall(db, call.id, clock.now());
      return { session_id };
    },
  );
}
