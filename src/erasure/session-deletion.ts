import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { Deleted } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { enqueue } from "../jobs/define-job.ts";
import { findSession, sessionNumber } from "../sessions/session.ts";
import { sessionParam } from "../sessions/transcript.ts";
import { busySessions, deleteSessions } from "./delete-sessions.ts";
import { type ErasureDeps, erasePeople } from "./erase-people.ts";

const LegalHoldRequest = z
  .object({
    held: z.boolean(),
    reason: z.string().min(1).max(1000).nullish().describe("Why it is kept, such as a case number."),
  })
  .meta({ id: "LegalHoldRequest" });

const LegalHold = z
  .object({
    session_id: z.string(),
    held: z.boolean(),
    held_at: z.string().nullish(),
    held_by: z.string().nullish(),
    reason: z.string().nullish(),
  })
  .meta({ id: "LegalHold" });
type LegalHold = z.infer<typeof LegalHold>;

/** Deleting one session, and keeping one from being deleted. */
export function sessionDeletionRoutes(api: Api, { db, clock }: ErasureDeps): void {
  const tag = "sessions";
  const permission = "sessions_delete";

  api.delete(
    "/api/v1/sessions/:session_id",
    {
      summary: "Delete a session",
      description:
        "Deletes its messages, trace, tool calls, labels, recordings, insight results, texts, mails and events. One that is in a call or an answer, or on legal hold, is refused. What was sent to webhooks and campaigns' requests stay: erase the person to delete those.",
      tag,
      permission,
      params: sessionParam,
      response: Deleted,
      refusals: [404, 409],
    },
    async ({ caller, params }) =>
      db.transaction().execute(async (tx) => {
        const id = await lockSession(tx, caller, sessionNumber(params.session_id));
        if ((await holdOf(tx, id)).held)
          throw new Fault("conflict", "This session is on legal hold. Release it first.");
        if ((await busySessions(tx, [id], clock.now())).length > 0)
          throw new Fault("conflict", "This session is going on. Delete it once the call or answer is over.");
        const counts = await deleteSessions(tx, { tenant: caller.sub_organization_id, ids: [id] });
        // Removes the files; a process that dies here leaves that to the next one.
        await enqueue(tx, erasePeople, {}, { key: "erase-people" });
        await api.audit(tx, caller, { action: "delete", resource: tag, resource_id: id, before: { counts } });
        return { success: true as const };
      }),
  );

  api.get(
    "/api/v1/sessions/:session_id/legal_hold",
    {
      summary: "Get whether a session is on legal hold",
      tag,
      permission: "sessions_read",
      params: sessionParam,
      response: LegalHold,
    },
    async ({ caller, params }) => {
      const { id } = await findSession(db, caller, sessionNumber(params.session_id));
      return db.transaction().execute((tx) => holdOf(tx, id));
    },
  );

  api.put(
    "/api/v1/sessions/:session_id/legal_hold",
    {
      summary: "Put a session on legal hold, or release it",
      description: "While it is on hold, neither retention nor an erasure nor anybody deletes it.",
      tag,
      permission,
      params: sessionParam,
      body: LegalHoldRequest,
      response: LegalHold,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const id = await lockSession(tx, caller, sessionNumber(params.session_id));
        const before = await holdOf(tx, id);
        const hold = body.held ? { at: clock.now().toISOString(), by: caller.email } : { at: null, by: null };
        await tx
          .updateTable("sessions")
          .set({
            legal_hold_at: hold.at,
            legal_hold_by: hold.by,
            legal_hold_reason: body.held ? (body.reason ?? null) : null,
          })
          .where("id", "=", id)
          .execute();
        const after = await holdOf(tx, id);
        await api.audit(tx, caller, {
          action: "update",
          resource: "session_legal_holds",
          resource_id: id,
          before,
          after,
        });
        return after;
      }),
  );
}

/** Who waited while it was deleted finds it gone. */
async function lockSession(tx: Tx, caller: Caller, id: number): Promise<number> {
  const { sub_organization_id } = caller;
  await sql`
    select from sessions where id = ${id} and sub_organization_id = ${sub_organization_id} for update`.execute(
    tx,
  );
  await findSession(tx, caller, id);
  return id;
}

async function holdOf(tx: Tx, id: number): Promise<LegalHold> {
  const row = await tx
    .selectFrom("sessions")
    .select(["legal_hold_at", "legal_hold_by", "legal_hold_reason"])
    .where("id", "=", id)
    .executeTakeFirst();
  return {
    session_id: String(id),
    held: (row?.legal_hold_at ?? null) !== null,
    held_at: row?.legal_hold_at ?? null,
    held_by: row?.legal_hold_by ?? null,
    reason: row?.legal_hold_reason ?? null,
  };
}
