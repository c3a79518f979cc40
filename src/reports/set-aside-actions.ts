import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { notFound, unreachable } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { updateMail, waitingMails } from "../dialogues/mail-store.ts";
import { updateText, waitingTexts } from "../dialogues/text-store.ts";
import { Correspondence } from "../dialogues/written-target.ts";
import { giveUpTest, playTestAgain, runTest } from "../evaluations/run-job.ts";
import { retrySubject } from "../executions/execution.ts";
import { giveUpPair, replayPair, replayPairAgain } from "../replays/replay-job.ts";
import { makeTakeout } from "./make-takeout.ts";
import { ownId, type SetAsideWork } from "./set-aside-work.ts";

/** Who acts, in the sub-organization that the work belongs to, and when. */
type Acting = { caller: Caller; at: Date };

const DROPPED = "An operator dropped it: the program stopped twice while it was processed.";

/** Lets it be done again; interrupted twice once more, it is set aside again. */
export async function retrySetAside(tx: Tx, work: SetAsideWork, acting: Acting): Promise<void> {
  const id = ownId(work.kind, work.job_id);
  switch (work.kind) {
    case "job":
      return goOnWithJob(tx, await takeJob(tx, work.job_id), acting.at);
    case "insight-execution":
      return retryExecution(tx, Number(id), acting);
    case "web-chat":
      await tx
        .updateTable("sessions")
        .set({ set_aside_at: null, interruptions: 0 })
        .where("id", "=", Number(id))
        .execute();
      return;
    default:
      return unreachable(work.kind);
  }
}

/** Gives it up for good. A web chat is ended by whoever calls this, since that takes its lease. */
export async function dropSetAside(tx: Tx, work: SetAsideWork, { at }: Acting): Promise<void> {
  switch (work.kind) {
    case "job":
      return dropJob(tx, await takeJob(tx, work.job_id), at);
    case "insight-execution":
      await tx
        .updateTable("insight_executions")
        .set({ set_aside_at: null })
        .where("id", "=", Number(ownId(work.kind, work.job_id)))
        .execute();
      return;
    case "web-chat":
      return;
    default:
      return unreachable(work.kind);
  }
}

type StoredJob = { job_id: string; name: string; payload: unknown };

/** No longer counted from here on: what comes next in its conversation begins anew. */
async function takeJob(tx: Tx, job_id: string): Promise<StoredJob> {
  const { rows } = await sql<StoredJob>`
    delete from interrupted_jobs where job_id = ${job_id}::bigint
    returning job_id::text, name, payload`.execute(tx);
  const [job] = rows;
  // Somebody else has just done so.
  if (!job) throw notFound("Job", job_id);
  return job;
}

async function goOnWithJob(tx: Tx, { job_id, name, payload }: StoredJob, at: Date): Promise<void> {
  // It was told to have failed; a second export of the same organization may run by now, which then goes first.
  if (name === makeTakeout.name)
    await sql`
      update takeouts t set status = 'pending', error = null, updated_at = ${at.toISOString()}
      where id = ${makeTakeout.payload.parse(payload).takeout_id} and status = 'failed' and not exists (
        select from takeouts r
        where r.sub_organization_id = t.sub_organization_id and r.status in ('pending', 'in_progress'))`.execute(
      tx,
    );
  if (name === runTest.name) await playTestAgain(tx, payload);
  if (name === replayPair.name) await replayPairAgain(tx, payload);
  await sql`
    update graphile_worker._private_jobs set attempts = 0, run_at = now(), last_error = null
    where id = ${job_id}::bigint and locked_at is null`.execute(tx);
}

/** Of a correspondence only the message it stood still at, so that those behind it are answered. */
async function dropJob(tx: Tx, job: StoredJob, at: Date): Promise<void> {
  switch (job.name) {
    case "go-on-with-texts":
      await dropFirstText(tx, Correspondence.parse(job.payload), at);
      return goOnWithJob(tx, job, at);
    case "go-on-with-mails":
      await dropFirstMail(tx, Correspondence.parse(job.payload));
      return goOnWithJob(tx, job, at);
    default:
      await sql`
        delete from graphile_worker._private_jobs where id = ${job.job_id}::bigint and locked_at is null`.execute(
        tx,
      );
  }
}

async function dropFirstText(tx: Tx, correspondence: Correspondence, at: Date): Promise<void> {
  const [received] = await waitingTexts(tx, correspondence, "in");
  if (received) return updateText(tx, received.id, { status: "ANSWERED" }, at);
  const [outgoing] = await waitingTexts(tx, correspondence, "out");
  if (outgoing) await updateText(tx, outgoing.id, { status: "FAILED" }, at);
}

async function dropFirstMail(tx: Tx, correspondence: Correspondence): Promise<void> {
  const [received] = await waitingMails(tx, correspondence, "received");
  if (received) {
    await updateMail(tx, received.id, { state: "ignored", note: DROPPED }, "received");
    return;
  }
  for (const state of ["handing", "queued"] as const) {
    const [outgoing] = await waitingMails(tx, correspondence, state);
    if (!outgoing) continue;
    await updateMail(tx, outgoing.id, { state: "failed", note: DROPPED }, state);
    return;
  }
}

async function retryExecution(tx: Tx, id: number, acting: Acting): Promise<void> {
  const { workflow_id, session_id, upload_file_id } = await tx
    .selectFrom("insight_executions")
    .select(["workflow_id", "session_id", "upload_file_id"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const subject =
    session_id === null
      ? { column: "upload_file_id" as const, id: upload_file_id as number }
      : { column: "session_id" as const, id: session_id };
  await retrySubject(tx, acting, workflow_id, subject);
}

/** So that whoever waits for it is told now, and can start another. Resolves with the sessions that were left open by it. */
export async function giveUpWaitedFor(
  tx: Tx,
  { name, payload }: { name: string; payload: unknown },
  at: Date,
): Promise<number[]> {
  if (name === makeTakeout.name) await failTakeout(tx, payload, at);
  if (name === runTest.name) return giveUpTest(tx, payload, at);
  if (name === replayPair.name) return giveUpPair(tx, payload, at);
  return [];
}

async function failTakeout(tx: Tx, payload: unknown, at: Date): Promise<void> {
  await tx
    .updateTable("takeouts")
    .set({
      status: "failed",
      error: "The program was stopped twice while it made this export. Start another, or ask an operator.",
      updated_at: at.toISOString(),
    })
    .where("id", "=", makeTakeout.payload.parse(payload).takeout_id)
    .where("status", "in", ["pending", "in_progress"])
    .execute();
}
