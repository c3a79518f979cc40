import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { askAboutLabel } from "./answer-label.ts";
import {
  JudgeInput,
  JudgeLabel,
  JudgeLabelRequest,
  type JudgeListed,
  JudgeListed as JudgeListedSchema,
  JudgeResponse,
  JudgeUpdate,
} from "./judge-schema.ts";
import {
  findJudge,
  formOf,
  insertJudge,
  judgeList,
  removeJudge,
  replaceJudge,
  selectJudges,
  wholeJudge,
} from "./judge-store.ts";

const JUDGES = "/api/v1/judges";
const one = `${JUDGES}/:judge_id`;
const tag = "judges";
const params = z.object({ judge_id: recordId() });
const labelParams = params.extend({ session_id: recordId() });

const SessionToLabel = z
  .object({
    session_id: z.int().nullable().describe("null: every session of the last ones has a label."),
    judge: JudgeResponse,
  })
  .meta({ id: "SessionToLabel" });

const labelList: list.ListRules = {
  fields: {
    session_id: list.integer("l.session_id"),
    label: list.exact("l.label"),
    answer: list.exact("l.answer"),
    labelled_by: list.text("l.labelled_by"),
    differs: list.boolean("l.differs"),
  },
  time: "l.labelled_at",
  order: [
    { column: "l.labelled_at", direction: "desc" },
    { column: "l.session_id", direction: "desc" },
  ],
};

/** Judges, and the labels by which they are calibrated. */
export function addJudges(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  addResource<JudgeListed | JudgeResponse, JudgeInput, JudgeUpdate>(api, db, {
    path: JUDGES,
    noun: "Judge",
    id_name: "judge_id",
    tag,
    permission: "tests",
    record: JudgeListedSchema,
    detail: JudgeResponse,
    create: JudgeInput,
    update: JudgeUpdate,
    list: judgeList,
    audited: ({ label_count: _, ...judge }) => withoutCalibration(judge),
    store: {
      page: (caller, query) => list.listPage(db, selectJudges(db, caller), query, judgeList),
      find: findJudge,
      insert: (tx, caller, input) => insertJudge(tx, { caller, at: clock.now() }, input),
      replace: (tx, caller, { id: _, ...input }, before) =>
        replaceJudge(tx, { caller, at: clock.now() }, before, input),
      remove: (tx, caller, _id, { reason }, before) =>
        removeJudge(tx, { caller, at: clock.now() }, before, reason),
    },
  });

  api.get(
    `${one}/next_session`,
    {
      summary: "Get a session to label",
      description:
        "One of the last 2,000 sessions that have ended and in which the person said something, drawn in an order that the judge's number decides.",
      tag,
      permission: "tests_read",
      params,
      query: z.object({
        after: recordId().nullish().describe("Another session than this one, where there is one."),
      }),
      response: SessionToLabel,
    },
    async ({ caller, params: { judge_id }, query }) => {
      const judge = await findJudge(db, caller, judge_id);
      if (!judge) throw notFound("Judge", judge_id);
      return { session_id: await nextSession(db, caller, judge_id, query.after ?? null), judge };
    },
  );

  api.get(
    `${one}/labels`,
    {
      summary: "List the labels of a judge",
      tag,
      permission: "tests_read",
      params,
      query: list.listQuery(labelList),
      response: list.listOf(JudgeLabel),
    },
    async ({ caller, params: { judge_id }, query }) => {
      const form = formOf(await wholeJudge(db, caller, judge_id));
      const select = db
        .selectFrom((from) =>
          from
            .selectFrom("judge_labels")
            .selectAll()
            .select([
              sql<boolean>`asked_as is not distinct from ${form} and answered_at is not null`.as(
                "is_current",
              ),
              sql<boolean>`coalesce(answer <> label and label <> 'unclear' and asked_as = ${form}, false)`.as(
                "differs",
              ),
            ])
            .where("judge_id", "=", judge_id)
            .as("l"),
        )
        .select([
          "l.session_id",
          "l.label",
          "l.labelled_at",
          "l.labelled_by",
          "l.answer",
          "l.votes_yes",
          "l.model",
          "l.fault",
          "l.is_current",
        ])
        .$castTo<JudgeLabel>();
      return list.onlyFields(await list.listPage(db, select, query, labelList), query.fields, JudgeLabel);
    },
  );

  api.put(
    `${one}/labels/:session_id`,
    {
      summary: "Label a session for a judge",
      description: "What you say of the session yourself. The judge is asked about it afterwards.",
      tag,
      permission: "tests_write",
      params: labelParams,
      body: JudgeLabelRequest,
      response: JudgeLabel,
    },
    async ({ caller, params: { judge_id, session_id }, body: { label } }) =>
      db.transaction().execute(async (tx) => {
        await wholeJudge(tx, caller, judge_id);
        const session = await tx
          .selectFrom("sessions")
          .select("id")
          .where("id", "=", session_id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .forKeyShare()
          .executeTakeFirst();
        if (!session) throw notFound("Session", session_id);
        const said = { label, labelled_at: clock.now().toISOString(), labelled_by: caller.email };
        const row = await tx
          .insertInto("judge_labels")
          .values({ judge_id, session_id, sub_organization_id: caller.sub_organization_id, ...said })
          .onConflict((conflict) => conflict.columns(["judge_id", "session_id"]).doUpdateSet(said))
          .returning([
            "session_id",
            "label",
            "labelled_at",
            "labelled_by",
            "answer",
            "votes_yes",
            "model",
            "fault",
          ])
          .executeTakeFirstOrThrow();
        const after = { ...row, is_current: false };
        if (label !== "unclear") await askAboutLabel(tx, caller.sub_organization_id, judge_id, session_id);
        await api.audit(tx, caller, {
          action: "label",
          resource: tag,
          resource_id: judge_id,
          after: { session_id, label },
        });
        return after;
      }),
  );

  api.post(
    `${one}/answers`,
    {
      summary: "Ask a judge about its labelled sessions again",
      description: "After a change of the judge, its insight tool or its model.",
      tag,
      permission: "tests_run",
      params,
      response: JudgeResponse,
    },
    async ({ caller, params: { judge_id } }) =>
      db.transaction().execute(async (tx) => {
        await wholeJudge(tx, caller, judge_id);
        const labels = await tx
          .updateTable("judge_labels")
          .set({ asked_as: null, answer: null, votes_yes: null, model: null, fault: null, answered_at: null })
          .where("judge_id", "=", judge_id)
          .where("label", "<>", "unclear")
          .returning("session_id")
          .execute();
        for (const { session_id } of labels)
          await askAboutLabel(tx, caller.sub_organization_id, judge_id, session_id);
        await api.audit(tx, caller, {
          action: "ask again",
          resource: tag,
          resource_id: judge_id,
          after: { sessions: labels.length },
        });
        return (await findJudge(tx, caller, judge_id)) as JudgeResponse;
      }),
  );
}

function withoutCalibration(judge: object): object {
  const { calibration: _, ...kept } = judge as { calibration?: unknown };
  return kept;
}

const LAST_SESSIONS = 2_000;

/** Index: sessions_timestamp. */
async function nextSession(
  db: Db,
  { sub_organization_id }: Caller,
  judge_id: number,
  after: number | null,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    with last as (
      select id from sessions where sub_organization_id = ${sub_organization_id} and ended_at is not null
      order by timestamp desc, id desc limit ${LAST_SESSIONS}
    )
    select id from last
    where not exists (select from judge_labels l where l.judge_id = ${judge_id} and l.session_id = last.id)
      and exists (select from session_messages m where m.session_id = last.id and m.role = 'user')
    order by id = ${after}::bigint, md5(${judge_id}::text || '/' || id::text) limit 1`.execute(db);
  return rows[0]?.id ?? null;
}
