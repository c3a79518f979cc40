import { sql } from "kysely";
import { randomId } from "../base/ids.ts";
import { cutTo } from "../base/storable.ts";
import type { Tx } from "../db/database.ts";
import { insertTrace } from "../events/trace.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import type { Engine } from "../sessions/engine.ts";
import { endAsIdle } from "../turns/end-session.ts";
import { startSession } from "../turns/start-session.ts";
import { loadAnswer, turnOfMessage } from "../turns/stored-answer.ts";
import { dialogueJob, endIdleJob } from "./dialogue-job.ts";
import { hearMessage } from "./heard-message.ts";
import { isHeld, type LoopMessage } from "./held/held-loop.ts";
import { holdWords, MAIL_PACE } from "./held/loop-guard.ts";
import { filesInWords } from "./mail-files.ts";
import { MAIL_TTL_MS, type MailParts } from "./mail-parts.ts";
import {
  heardBefore,
  mailTargetById,
  messageId,
  newestMailSession,
  openMail,
  type StoredMail,
  updateMail,
  waitingMails,
} from "./mail-store.ts";
import { replySubject } from "./mail-template.ts";
import { insertOutgoing } from "./outbound/mail-out-store.ts";
import { sendMails } from "./outbound/mail-outbox.ts";
import { MAIL_GIVE_UP_MS } from "./outbound/outbound-message.ts";
import { NO_TEXT } from "./text-words.ts";
import type { Correspondence, WrittenTarget } from "./written-target.ts";

/**
 * Conversations by mail. What comes in is stored with the job that goes on with it (mail-receive.ts); the job, one at a
 * time for each person and address, has the agent answer what waits and sends the answers. Each step is stored before
 * the next begins, so the job may die and be repeated anywhere:
 *
 *     received → session known → turn (answered once, by the mail's id) → answer queued, mail answered, in one commit
 *     queued → handing → sent                                             (outbound/outbox.ts)
 */
const job = dialogueJob("mails");

export const mailJobs = (parts: MailParts): JobHandler[] => [
  job.handle((correspondence) => goOnWithMails(parts, correspondence)),
  endIdleJob("mails", "17 * * * *", () => endIdleMails(parts.engine)),
];

export const enqueueGoOn = (tx: Tx, correspondence: Correspondence, run_at?: Date): Promise<void> =>
  job.enqueue(tx, correspondence, { ...(run_at && { run_at }) });

/** Everything that a correspondence waits for: answers first, then what is to be sent, each in its order. */
export async function goOnWithMails(parts: MailParts, correspondence: Correspondence): Promise<void> {
  const { db } = parts.engine;
  for (const mail of await waitingMails(db, correspondence, "received"))
    await answer(parts, correspondence, mail);
  const handing = await waitingMails(db, correspondence, "handing");
  const queued = await waitingMails(db, correspondence, "queued");
  const again = await sendMails(parts, [...handing, ...queued]);
  if (again) await db.transaction().execute((tx) => enqueueGoOn(tx, correspondence, again));
}

async function answer(parts: MailParts, correspondence: Correspondence, mail: StoredMail): Promise<void> {
  const { engine } = parts;
  const { db, clock } = engine;
  const target = await mailTargetById(db, correspondence.channel_target_id);
  const now = clock.now();
  const ignore = (note: string) => updateMail(db, mail.id, { state: "ignored", note });
  if (!target) return void (await ignore("no agent answers this address any more"));
  if (await isHeld(engine, target, waitingMail(engine, mail))) return;
  const opened = openMail(engine.vault, mail);
  const { session_id, turn_index, said } = await answerTo(parts, target, opened);
  await db.transaction().execute(async (tx) => {
    if (!(await updateMail(tx, mail.id, { state: "answered" }, "received"))) return;
    const { from_address: from, message_id, authenticity } = mail;
    const details = { from, message_id, sender: authenticity };
    await insertTrace(tx, session_id, turn_index, [{ category: "note", label: "mail", details }], now);
    if (said.length === 0) return;
    const row = {
      key: randomId(),
      target,
      session_id,
      from_name: target.agent_name,
      to_address: mail.from_address,
      subject: replySubject(opened.subject),
      text: said.join("\n\n"),
      html: null,
      answers: mail.id,
      in_reply_to: mail.message_id,
      thread_ids: [...mail.thread_ids, mail.message_id].slice(-20),
    };
    await insertOutgoing(tx, engine.vault, row, clock.now());
  });
}

function waitingMail({ db }: Engine, mail: StoredMail): LoopMessage {
  return {
    category: "mail",
    person: mail.from_address,
    words: mail.new_text || mail.text,
    at: new Date(mail.created_at),
    released: mail.released,
    pace: MAIL_PACE,
    earlier: () => heardBefore(db, mail),
    session: async () => mail.session_id ?? (await newestMailSession(db, mail)),
    hold(tx, held, held_in) {
      const note = `not answered, this looks like a loop: ${holdWords(held)}`;
      return updateMail(tx, mail.id, { state: "ignored", note, held, held_in }, "received");
    },
  };
}

type Answered = { session_id: number; turn_index: number; said: string[] };

async function answerTo(parts: MailParts, target: WrittenTarget, mail: StoredMail): Promise<Answered> {
  const { engine } = parts;
  const { session_id, opened } = await sessionOf(parts, target, mail);
  const message = { text: wordsOf(mail, opened), client_message_id: messageId(mail) };
  const turn_index = await hearMessage(engine, session_id, message);
  // The session ended between this mail's coming and its turn: the mail opens the next one.
  if (turn_index === null) return answerTo(parts, target, { ...mail, session_id: null });
  const greeting = opened ? await loadAnswer(engine, session_id, 0) : [];
  return {
    session_id,
    turn_index,
    said: [...greeting, ...(await loadAnswer(engine, session_id, turn_index))],
  };
}

/** The session that this mail is read in, and whether it opened it. */
async function sessionOf(
  { engine }: MailParts,
  target: WrittenTarget,
  mail: StoredMail,
): Promise<{ session_id: number; opened: boolean }> {
  const known =
    mail.session_id === null
      ? undefined
      : await engine.db
          .selectFrom("sessions")
          .select(["id", "ended_at", "last_activity_at", "channel_manager_sid"])
          .where("id", "=", mail.session_id)
          .executeTakeFirst();
  // A session that this mail opened is its own, also when the mail's turn has ended it.
  if (known?.channel_manager_sid === mail.message_id) return { session_id: known.id, opened: true };
  if (known && ((await wasHeard(engine, known.id, mail)) || isOpenAt(known, new Date(mail.created_at)))) {
    return { session_id: known.id, opened: false };
  }
  const { session_id } = await startSession(
    engine,
    {
      sub_organization_id: target.sub_organization_id,
      agent_id: target.agent_id,
      channel: "email",
      service: "email",
      type: "email_v1",
      sid: mail.message_id,
      channel_target_id: target.id,
      source: mail.from_address,
      target: target.target,
      is_test: target.is_test,
      is_outbound: false,
      verified: mail.authenticity?.verdict === "proven",
    },
    async (tx, session) => {
      await updateMail(tx, mail.id, { session_id: session.session_id });
    },
  );
  return { session_id, opened: true };
}

/** However long a mail has waited for its turn, it came when it came. */
const isOpenAt = (session: { ended_at: string | null; last_activity_at: string }, at: Date): boolean =>
  session.ended_at === null && at.getTime() < new Date(session.last_activity_at).getTime() + MAIL_TTL_MS;

const wasHeard = async (engine: Engine, session_id: number, mail: StoredMail): Promise<boolean> =>
  (await turnOfMessage(engine, session_id, messageId(mail))) !== null;

/** Nobody reads on after that, and a model pays for each word. */
const LONGEST_MESSAGE = 20_000;

/** What the agent reads of a mail: its subject where it opens a session or says all (an invitation declined), what is new in it, and its files by name. */
export function wordsOf(
  mail: Pick<StoredMail, "subject" | "text" | "new_text" | "attachments">,
  opened: boolean,
): string {
  const words = cutTo(mail.new_text || mail.text, LONGEST_MESSAGE).toWellFormed();
  const subject = (opened || words.trim() === "") && mail.subject !== "" ? `Subject: ${mail.subject}` : "";
  const parts = [subject, words, filesInWords(mail.attachments)].filter((part) => part.trim() !== "");
  return parts.join("\n\n") || NO_TEXT;
}

/** Closes sessions that no mail has come to for `MAIL_TTL_MS` and none waits to be read in; run every hour. */
export async function endIdleMails(engine: Engine): Promise<number> {
  const now = engine.clock.now();
  const idle = await engine.db
    .selectFrom("sessions as s")
    .select(["s.id", "s.turn_count"])
    .where("s.ended_at", "is", null)
    .where("s.channel", "=", "email")
    .where("s.last_activity_at", "<", new Date(now.getTime() - MAIL_TTL_MS).toISOString())
    // Whoever holds it is busy with it.
    .where((s) => s.or([s("lease_owner", "is", null), s("lease_expires_at", "<", now.toISOString())]))
    .where((s) =>
      s.not(
        s.exists(
          s
            .selectFrom("mail_messages as m")
            .whereRef("m.session_id", "=", "s.id")
            .where("m.state", "=", sql.lit("received"))
            .where("m.created_at", ">", new Date(now.getTime() - MAIL_GIVE_UP_MS).toISOString()),
        ),
      ),
    )
    .limit(500)
    .execute();
  await endAsIdle(engine, idle);
  return idle.length;
}
