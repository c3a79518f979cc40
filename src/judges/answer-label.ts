import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import type { ToolRunner } from "../insights/tool-run.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { askJudge } from "./ask-judge.ts";
import { formOf, wholeJudge } from "./judge-store.ts";

/*
 * A label is stored with the job that asks the judge about the same session. A job that runs twice asks twice and stores the
 * same; a label or a session that is gone by then is left alone.
 */

const answerLabel: Job<{ judge_id: number; session_id: number }> = {
  name: "answer-judge-label",
  payload: z.object({ judge_id: z.int(), session_id: z.int() }),
  max_attempts: 5,
};

/** In the transaction that stores the label. */
export const askAboutLabel = (tx: Tx, tenant: number, judge_id: number, session_id: number): Promise<void> =>
  enqueue(
    tx,
    answerLabel,
    { judge_id, session_id },
    { tenant, key: `judge-${judge_id}-session-${session_id}` },
  );

type Parts = { db: Db; clock: Clock; log: Log; runner: ToolRunner };

export const judgeJobs = (parts: Parts): JobHandler[] => [
  handle(answerLabel, async ({ judge_id, session_id }, { job }) => {
    await answer(parts, { judge_id, session_id }, job.attempts >= answerLabel.max_attempts);
  }),
];

/** `isLast`: a fault becomes the answer, because the job is not tried again. */
async function answer(
  { db, clock, log, runner }: Parts,
  { judge_id, session_id }: { judge_id: number; session_id: number },
  isLast: boolean,
): Promise<void> {
  const label = await db
    .selectFrom("judge_labels as l")
    .innerJoin("judges as j", "j.id", "l.judge_id")
    .where("l.judge_id", "=", judge_id)
    .where("l.session_id", "=", session_id)
    .where("l.label", "<>", "unclear")
    .where("j.deleted_at", "is", null)
    .select("l.sub_organization_id")
    .executeTakeFirst();
  if (!label) return;
  const { sub_organization_id } = label;
  const judge = await wholeJudge(db, { sub_organization_id }, judge_id);
  const asked = { sub_organization_id, session_id, judge, seed: session_id % 2_147_483_647 };
  const given =
    judge.tool_deleted_at === null
      ? await askJudge(db, runner, asked).catch((error: unknown) => {
          if (!isLast) throw error;
          const message = publicText(error, log, "a judge could not be asked");
          return { kind: "failed" as const, message, may_pass: false };
        })
      : { kind: "failed" as const, message: "Its insight tool was deleted.", may_pass: false };
  if (given.kind === "failed" && given.may_pass && !isLast)
    throw new Error(`judge ${judge_id} gave no answer about session ${session_id}: ${given.message}`);
  await db
    .updateTable("judge_labels")
    .set({
      asked_as: formOf(judge),
      answered_at: clock.now().toISOString(),
      ...(given.kind === "answered"
        ? { answer: given.is_yes ? "yes" : "no", votes_yes: given.votes_yes, model: given.model, fault: null }
        : { answer: null, votes_yes: null, model: null, fault: given.message.slice(0, 2_000) }),
    })
    .where("judge_id", "=", judge_id)
    .where("session_id", "=", session_id)
    .execute();
}
