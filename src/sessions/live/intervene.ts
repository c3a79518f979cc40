import { z } from "zod";
import { recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import type { Db } from "../../db/database.ts";
import { addNote } from "../operator-notes.ts";
import { findSession } from "../session.ts";
import { handBack, lockSession, takeOver } from "./takeover.ts";

const SessionTakeover = z
  .object({ session_id: z.int(), taken_by: z.string(), taken_at: timestamp(), expires_at: timestamp() })
  .meta({ id: "SessionTakeover" });

const SessionNote = z
  .object({ id: z.int(), session_id: z.int(), text: z.string(), written_by: z.string() })
  .meta({ id: "SessionNote" });

const LONGEST_NOTE = 2_000;

/** A person takes over a running conversation, hands it back, or whispers to the model. */
export function interveneRoutes(
  api: Api,
  { db, clock, vault }: { db: Db; clock: Clock; vault: Vault },
): void {
  const tag = "sessions";
  const permission = "sessions_intervene";
  const params = z.object({ session_id: recordId() });

  api.post(
    "/api/v1/sessions/:session_id/takeover",
    {
      summary: "Take over a conversation from the agent, or renew the takeover",
      description:
        "For chats and text conversations. The agent finishes an answer that it has begun, and answers no message after that. The takeover ends when it is handed back, or three minutes after its last renewal or message; call this again to renew it.",
      tag,
      permission,
      params,
      response: SessionTakeover,
    },
    ({ caller, params: { session_id } }) =>
      db.transaction().execute(async (tx) => {
        await findSession(tx, caller, session_id);
        const { is_new, ...taken } = await takeOver(tx, session_id, caller.email, clock.now());
        // A renewal changes nothing that somebody would look for.
        if (is_new)
          await api.audit(tx, caller, {
            action: "take-over",
            resource: tag,
            resource_id: session_id,
            after: { taken_by: caller.email },
          });
        return { session_id, ...taken };
      }),
  );

  api.delete(
    "/api/v1/sessions/:session_id/takeover",
    {
      summary: "Hand a conversation back to the agent",
      description:
        "The agent answers from the person's next message on, and reads what was written meanwhile.",
      tag,
      permission,
      params,
      status: 204,
    },
    ({ caller, params: { session_id } }) =>
      db.transaction().execute(async (tx) => {
        await findSession(tx, caller, session_id);
        const was_taken = await handBack(tx, session_id, clock.now());
        if (was_taken)
          await api.audit(tx, caller, {
            action: "hand-back",
            resource: tag,
            resource_id: session_id,
            after: { taken_by: null },
          });
      }),
  );

  api.post(
    "/api/v1/sessions/:session_id/notes",
    {
      summary: "Whisper a note to the agent",
      description:
        "The model reads it in its next answer, once. The person never sees it; the timeline shows it with who wrote it.",
      tag,
      permission,
      params,
      body: z.object({ text: z.string().trim().min(1).max(LONGEST_NOTE) }).meta({ id: "SessionNoteCreate" }),
      response: SessionNote,
    },
    ({ caller, params: { session_id }, body: { text } }) =>
      db.transaction().execute(async (tx) => {
        await findSession(tx, caller, session_id);
        await lockSession(tx, session_id);
        const note = { text, written_by: caller.email };
        const id = await addNote(tx, vault, session_id, note, clock.now());
        await api.audit(tx, caller, {
          action: "whisper",
          resource: tag,
          resource_id: session_id,
          after: { note_id: id },
        });
        return { id, session_id, ...note };
      }),
  );
}
