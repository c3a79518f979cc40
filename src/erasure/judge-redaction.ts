import { sql } from "kysely";
import { z } from "zod";
import type { SnapshotPrompt } from "../agents/snapshot.ts";
import { errorText } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { askForJson } from "../llm/json-answer.ts";
import type { LanguageModel } from "../llm/model.ts";
import {
  JUDGED_SCHEMA,
  type JudgedValue,
  type JudgeRules,
  judgeMessages,
  partsOf,
  readJudged,
} from "../redaction/judged-values.ts";
import { queueIndexing } from "../sessions/index-session-job.ts";
import type { ErasureDeps } from "./erase-people.ts";
import { redactStored } from "./redact-stored.ts";

/*
 * Redaction by a model's judgement. No turn waits for it: once a minute, sessions that are over and whose policy asks for it
 * are read by the model, and what it found is taken out everywhere that it is stored. Until then a session says that it is
 * not redacted yet. A failure is tried again every ten minutes, for as long as the session is kept. A run may take longer
 * than a minute, so each claims what it reads.
 */
const judgeRedaction: Job<object> = {
  name: "judge-redaction",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

const MOST_A_RUN = 200;
const AT_ONCE = 4;
const AGAIN_MS = 10 * 60_000;
const TIMEOUT_MS = 60_000;

type JudgeDeps = ErasureDeps & {
  resolveModel(sub_organization_id: number, llm: SnapshotPrompt["llm_config"]): Promise<LanguageModel>;
};
type DueSession = { id: number; sub_organization_id: number; judge: JudgeRules };

export const judgeRedactionJob = (deps: JudgeDeps): JobHandler =>
  handle(judgeRedaction, async (_, { stopping }) => {
    const due = await dueSessions(deps);
    const work = async () => {
      for (let next = due.shift(); next && !stopping.aborted; next = due.shift())
        if (await claim(deps, next)) await judgeSession(deps, next, stopping);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });

/** The oldest first. Index: sessions_to_judge. */
async function dueSessions({ db, clock }: JudgeDeps): Promise<DueSession[]> {
  const now = clock.now().toISOString();
  const { rows } = await sql<DueSession>`
    select id, sub_organization_id, redaction -> 'judge' as judge from sessions
    where (redaction -> 'judge') is not null and judged_at is null and ended_at <= ${now}::timestamptz
      and (judge_again_at is null or judge_again_at <= ${now}::timestamptz)
      and (lease_owner is null or lease_expires_at <= ${now}::timestamptz)
    order by ended_at limit ${MOST_A_RUN}::bigint`.execute(db);
  return rows;
}

/** Until then no other run reads it, as after a failure or the death of this process. False: another run does, or did. */
async function claim({ db, clock }: JudgeDeps, { id }: DueSession): Promise<boolean> {
  const now = clock.now();
  const again = new Date(now.getTime() + AGAIN_MS).toISOString();
  const { numAffectedRows } = await sql`
    update sessions set judge_again_at = ${again}::timestamptz
    where id = ${id} and judged_at is null
      and (judge_again_at is null or judge_again_at <= ${now.toISOString()}::timestamptz)`.execute(db);
  return numAffectedRows === 1n;
}

async function judgeSession(deps: JudgeDeps, due: DueSession, stopping: AbortSignal): Promise<void> {
  const { db, clock, log } = deps;
  try {
    const found = await judged(deps, due, stopping);
    await db.transaction().execute(async (tx) => {
      await sql`select id from sessions where id = ${due.id} for no key update`.execute(tx);
      if (found.length > 0) {
        await redactStored(tx, deps, due, found);
        await queueIndexing(tx, due);
      }
      await sql`update sessions set judged_at = ${clock.now().toISOString()}::timestamptz where id = ${due.id}`.execute(
        tx,
      );
    });
  } catch (error) {
    if (stopping.aborted)
      await sql`update sessions set judge_again_at = null where id = ${due.id}`.execute(db);
    else
      log.warn(
        { session_id: due.id, err: errorText(error) },
        "a session could not be redacted by a model yet",
      );
  }
}

/** Throws where the model does not answer, or not what was asked. */
async function judged(
  { db, resolveModel }: JudgeDeps,
  { id, sub_organization_id, judge }: DueSession,
  stopping: AbortSignal,
): Promise<JudgedValue[]> {
  const parts = partsOf(await linesOf(db, id));
  if (parts.length === 0) return [];
  const model = await resolveModel(sub_organization_id, judge);
  const found: JudgedValue[] = [];
  for (const part of parts) {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    const messages = judgeMessages(judge, part);
    const { text } = await askForJson(model, { messages, output_schema: JUDGED_SCHEMA, signal });
    const read = readJudged(text, part);
    if (read === null) throw new Error(`${model.model} did not answer with a list of what it found`);
    found.push(...read);
  }
  return found;
}

async function linesOf(db: Db, session_id: number): Promise<string[]> {
  const rows = await db
    .selectFrom("session_messages")
    .select(["role", "text"])
    .where("session_id", "=", session_id)
    .orderBy("seq")
    .execute();
  return rows.filter(({ text }) => text !== "").map(({ role, text }) => `${role}: ${text}`);
}
