import { sql } from "kysely";
import { z } from "zod";
import type { Api } from "../api/server.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { findSession, sessionNumber } from "../sessions/session.ts";
import { sessionParam } from "../sessions/transcript.ts";
import type { ErasureDeps } from "./erase-people.ts";

const RedactedValues = z
  .array(
    z.object({
      token: z.string().describe("As it stands in the transcript: `[card: bcdfghjklm]`."),
      kind: z.string(),
      value: z.union([z.string(), z.number()]),
    }),
  )
  .meta({ id: "RedactedValues" });

const MOST_SHOWN = 5_000;

/** What was redacted in a session, for who may see it, with an entry of the audit log. */
export function redactedValueRoutes(api: Api, { db, vault }: ErasureDeps): void {
  api.post(
    "/api/v1/sessions/:session_id/redacted_values/open",
    {
      summary: "Open what was redacted in a session",
      description:
        "While the session goes on, an hour longer, and then for the days that its policy keeps originals; after that the list is empty. Always an entry of the audit log, with the reason.",
      tag: "sessions",
      permission: "redacted_values_open",
      params: sessionParam,
      body: z
        .object({ reason: z.string().trim().min(3).max(1_000) })
        .meta({ id: "OpenRedactedValuesRequest" }),
      response: RedactedValues,
      status: 200,
    },
    ({ caller, params, body: { reason } }) =>
      db.transaction().execute(async (tx) => {
        const { id } = await findSession(tx, caller, sessionNumber(params.session_id));
        const rows = await tx
          .selectFrom("redacted_values")
          .select(["token", "kind", "sealed"])
          .where("session_id", "=", id)
          .orderBy("kind")
          .orderBy("token")
          .limit(MOST_SHOWN)
          .execute();
        await api.audit(tx, caller, {
          action: "open",
          resource: "redacted_values",
          resource_id: id,
          after: { reason, values: rows.length },
        });
        return rows.map(({ sealed, ...row }) => ({
          ...row,
          value: JSON.parse(vault.open(sealed)) as string | number,
        }));
      }),
  );
}

const removeOriginals: Job<object> = {
  name: "remove-originals",
  payload: z.object({}),
  max_attempts: 3,
  schedule: "*/10 * * * *",
};

const MOST_ROWS = 2_000;

/** Removes originals of sessions that are over, once their policy's time is over too. A legal hold keeps them. */
export const removeOriginalsJob = (deps: ErasureDeps): JobHandler =>
  handle(removeOriginals, async (_, { stopping }) => {
    while (!stopping.aborted) if ((await removeSome(deps)) === 0) return;
  });

async function removeSome({ db, clock }: ErasureDeps): Promise<number> {
  const now = clock.now().toISOString();
  return db.transaction().execute(async (tx) => {
    // The hour is for the tool that a session ends with. Index: redacted_values_open.
    const dated = await sql`
      update redacted_values v set remove_at = s.ended_at + make_interval(days => (s.redaction ->> 'originals_days')::int, hours => 1)
      from sessions s
      where s.id = v.session_id and s.ended_at is not null and (v.session_id, v.token) in (
        select o.session_id, o.token from redacted_values o join sessions e on e.id = o.session_id
        where o.remove_at is null and e.ended_at is not null limit ${MOST_ROWS}::bigint)`.execute(tx);
    // Index: redacted_values_remove.
    const removed = await sql`
      delete from redacted_values where (session_id, token) in (
        select v.session_id, v.token from redacted_values v join sessions s on s.id = v.session_id
        where v.remove_at <= ${now}::timestamptz and s.legal_hold_at is null limit ${MOST_ROWS}::bigint)`.execute(
      tx,
    );
    return Number(dated.numAffectedRows ?? 0n) + Number(removed.numAffectedRows ?? 0n);
  });
}
