import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { boundedList, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { textSealer } from "../redaction/text-sealer.ts";
import { findSession } from "./session.ts";
import { rulesOfSession } from "./session-redactor.ts";

/**
 * A rating of a session, by a person or a program. Labels are never changed: a different opinion is a new label. The session
 * shows the newest label of a person, else the newest of a program.
 */
const SessionLabelCreate = z
  .object({
    session_id: recordId(),
    type: z.enum(["auto-rating", "human-rating"]),
    code: z.enum(["GOOD", "OK", "BAD", "N/A"]),
    user_email: z.string(),
    comments: z.string().nullish(),
    issue_categories: z
      .array(z.string())
      .max(1_000)
      .nullable()
      .default([])
      .describe("Such as Silent treatment, Speech transcription (STT), Interruption or Wrong information."),
  })
  .meta({ id: "SessionLabelCreate" });

export const SessionLabel = z
  .object({
    session_id: z.int(),
    type: z.string(),
    code: z.string(),
    user_email: z.string(),
    comments: z.string().nullish(),
    issue_categories: boundedList(z.string()).nullish(),
    id: z.int(),
    timestamp: timestamp(),
  })
  .meta({ id: "SessionLabel" });
type SessionLabel = z.infer<typeof SessionLabel>;

const labelList: list.ListRules = {
  fields: {
    timestamp: list.time("l.timestamp"),
    session_id: list.integer("l.session_id"),
    type: list.exact("l.type"),
    code: list.exact("l.code"),
    user_email: list.wholeBeforePart("l.user_email"),
    issue_categories: list.read(list.document("l.issue_categories")),
    session_id_list: list.anyOf("l.session_id", "integer", "sorts"),
  },
  time: "l.timestamp",
  order: [
    { column: "l.timestamp", direction: "desc" },
    { column: "l.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

/** Indexes: session_labels_timestamp, _session, _code, _type, _person. */
const selectLabels = (db: Db, caller: Caller) =>
  db
    .selectFrom("session_labels as l")
    .where("l.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "l.session_id",
      "l.type",
      "l.code",
      "l.user_email",
      "l.comments",
      "l.issue_categories",
      "l.id",
      "l.timestamp",
    ]);

export function sessionLabelRoutes(
  api: Api,
  { db, clock, vault }: { db: Db; clock: Clock; vault: Vault },
): void {
  const path = "/api/v1/session_labels";
  const tag = "session_labels";

  const find = async (from: Db, caller: Caller, id: number): Promise<SessionLabel> => {
    const label = await selectLabels(from, caller).where("l.id", "=", id).executeTakeFirst();
    if (!label) throw notFound("Session label", id);
    return label;
  };

  api.get(
    `${path}/`,
    {
      summary: "List session labels",
      description: `Newest first. ${list.LONG}`,
      tag,
      permission: "session_labels_read",
      query: list.listQuery(labelList),
      response: list.listOf(SessionLabel),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectLabels(db, caller), query, labelList);
      return list.onlyFields(page, query.fields, SessionLabel);
    },
  );

  api.get(
    `${path}/:session_label_id`,
    {
      summary: "Get a session label",
      tag,
      permission: "session_labels_read",
      params: z.object({ session_label_id: recordId() }),
      response: SessionLabel,
    },
    ({ caller, params }) => find(db, caller, params.session_label_id),
  );

  api.post(
    `${path}/`,
    {
      summary: "Label a session",
      description: "A label is never changed or deleted; of several, the newest by a person counts.",
      tag,
      permission: "session_labels_write",
      body: SessionLabelCreate,
      response: SessionLabel,
    },
    ({ caller, body }) =>
      write(db, "Session label", async (tx) => {
        // One that is just being deleted is waited for, and not found then.
        await sql`select from sessions where id = ${body.session_id} for key share`.execute(tx);
        await findSession(tx, caller, body.session_id);
        await refuseStranger(tx, caller, body.user_email);
        // Comments repeat what was said; issue categories are counted.
        const rules = await rulesOfSession(tx, body.session_id);
        const seal = textSealer(vault, rules?.seal_key ?? null, `label ${body.session_id}`);
        const { id } = await tx
          .insertInto("session_labels")
          .values({
            ...body,
            comments: body.comments == null ? null : seal(body.comments),
            timestamp: clock.now().toISOString(),
            sub_organization_id: caller.sub_organization_id,
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        const after = await find(tx, caller, id);
        // The trail is kept when the session is deleted, so it doesn't repeat what is sealed with it.
        const told = rules?.seal_key ? { ...after, comments: null } : after;
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: id, after: told });
        return after;
      }),
  );
}

/** Refuses labels in the name of people outside this sub-organization. */
async function refuseStranger(tx: Tx, caller: Caller, email: string): Promise<void> {
  const known = await tx
    .selectFrom("users")
    .select("id")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where(sql`lower(email)`, "=", email.trim().toLowerCase())
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!known) throw invalid(["body", "user_email"], "No user of this organization has this address");
}
