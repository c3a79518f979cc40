import { freezeSnapshot, type Snapshot } from "../agents/snapshot.ts";
import { Fault } from "../base/errors.ts";
import { CarrierFault } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Outreach, OutreachSender, SentOutreach } from "../channels/outreach.ts";
import { json } from "../db/database.ts";
import { insertTrace } from "../events/trace.ts";
import { UnreadableMail } from "../mime/mail-reader.ts";
import { sessionFacts } from "../sessions/session-facts.ts";
import { keepOriginals, loadRedactor, redactedState, restoredState } from "../sessions/session-redactor.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import { localTime, type SessionState, sessionLookup, systemVariables } from "../sessions/variables.ts";
import { endSession } from "../turns/end-session.ts";
import { announcementText, announcementTrace, messageTrace } from "../turns/greeting.ts";
import { startSession } from "../turns/start-session.ts";
import { withAnnouncement } from "./mail-announcement.ts";
import { UNSUBSCRIBE_VARIABLE, withWayOut } from "./mail-footer.ts";
import type { MailParts } from "./mail-parts.ts";
import { mailByKey, mailTargetById, type StoredMail, updateMail } from "./mail-store.ts";
import { templateMail } from "./mail-template.ts";
import { insertOutgoing } from "./outbound/mail-out-store.ts";
import { handToCarrier, PUT_OFF, STOPPED, tellUnknown, unsubscribeUrl } from "./outbound/mail-outbox.ts";
import type { WrittenTarget } from "./written-target.ts";

/**
 * How campaigns reach people by mail: a session, the agent's template as its first words, and the mail, in this order, each
 * stored under the try's key before the next begins. Answers come into the same session.
 */
export const mailSender = (parts: MailParts): OutreachSender => ({
  async send(outreach, mayGo) {
    const mail = (await mailByKey(parts.engine.db, outreach.key)) ?? (await writeMail(parts, outreach));
    const before = reached(parts, mail);
    if (before) return before;
    try {
      const taken = await handToCarrier(parts, mail, mayGo);
      return { ...(await ids(parts, mail)), sid: taken.sid, status: taken.status };
    } catch (error) {
      // What was never sent is no conversation.
      if (error instanceof CarrierFault && error.fate !== "unknown") await endUnsent(parts, mail);
      throw error;
    }
  },

  async find(outreach) {
    const mail = await mailByKey(parts.engine.db, outreach.key);
    // Who asks for a try is not the one that was sending it: that one is gone.
    if (mail?.state === "handing") await tellUnknown(parts.engine, mail, STOPPED);
    return mail ? reached(parts, mail) : null;
  },

  async cancel(outreach) {
    const mail = await mailByKey(parts.engine.db, outreach.key);
    if (mail) await updateMail(parts.engine.db, mail.id, { state: "failed", note: "called off" }, "queued");
  },
});

/** What is known of a mail that was to be sent before; null: it certainly never left. */
function reached(parts: MailParts, mail: StoredMail): Promise<SentOutreach> | null {
  if (mail.state === "queued" || (mail.state === "failed" && mail.channel_status === PUT_OFF)) return null;
  const status: ChannelStatus =
    mail.state === "handing" || mail.state === "unknown"
      ? "DELIVERY_UNKNOWN"
      : (mail.channel_status ?? "FAILED");
  const sid = mail.carrier_sid ?? mail.key;
  return ids(parts, mail).then((known) => ({ ...known, sid, status }));
}

async function endUnsent({ engine }: MailParts, { session_id }: StoredMail): Promise<void> {
  if (session_id === null) return;
  await endSession(engine, session_id, "error").catch((cause) =>
    engine.log.warn({ err: cause }, "a mail's session could not be ended"),
  );
}

async function ids({ engine }: MailParts, { session_id }: StoredMail) {
  const session = await engine.db
    .selectFrom("sessions")
    .select("conversation_id")
    .where("id", "=", session_id ?? -1)
    .executeTakeFirst();
  return { session_id, conversation_id: session?.conversation_id ?? null };
}

/** The mail of this try, stored to be sent. */
async function writeMail(parts: MailParts, outreach: Outreach): Promise<StoredMail> {
  const { db } = parts.engine;
  const target = await mailTargetById(db, outreach.channel_target_id);
  if (!target) {
    throw new CarrierFault(`${outreach.source} is no e-mail address of an agent any more.`, "refused", {
      status: "UNEXPECTED_ERROR",
      ours: "source",
    });
  }
  const before = await openedBefore(parts, outreach);
  if (before === undefined) {
    requireTemplate(await freezeSnapshot(db, outreach.sub_organization_id, outreach.agent_id, "live"));
  }
  const session_id = before ?? (await openSession(parts, outreach, target));
  await storeMail(parts, outreach, target, session_id, await firstMail(parts, outreach, session_id));
  const mail = await mailByKey(db, outreach.key);
  if (!mail) throw new Error(`the mail of try ${outreach.key} was stored and is gone`);
  return mail;
}

/** What the agent's template says to this person, by the session's own state of both. */
async function firstMail(parts: MailParts, outreach: Outreach, session_id: number) {
  const { db, clock, vault } = parts.engine;
  const session = await db
    .selectFrom("sessions")
    .select([
      "conversation_id",
      "agent_name",
      "agent_timezone",
      "verified",
      "claimed_user",
      "user_name",
      "state",
      snapshotOf("sessions").as("snapshot"),
    ])
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  // The session's own: the agent may have been changed since it was looked at.
  const { snapshot } = session;
  requireTemplate(snapshot);
  const at = clock.now();
  const redactor = await loadRedactor(db, { vault, now: at }, session_id);
  const state = restoredState(redactor, session.state as SessionState);
  const facts = sessionFacts({
    ...session,
    id: session_id,
    channel: "email",
    source: outreach.target,
    target: outreach.source,
    is_outbound: true,
  });
  const system = systemVariables(facts, state.language, localTime(at, session.agent_timezone));
  const { sub_organization_id, key, target: address } = outreach;
  const way_out = unsubscribeUrl(parts, { sub_organization_id, address, key });
  const lookup = sessionLookup(state, { ...system, [UNSUBSCRIBE_VARIABLE]: way_out });
  const template = await templateMail(snapshot, lookup, at, parts.reader).catch(refused);
  if (!template)
    throw new CarrierFault("The agent's e-mail template has no subject.", "refused", { ours: "step" });
  const { announcements = [], announcements_wait: _, ...remembered } = state;
  const words = withAnnouncement(template, announcementText(announcements));
  const trace = [...announcementTrace(announcements), ...messageTrace(snapshot, at)];
  return { at, redactor, state, remembered, words, way_out, trace };
}

/** Stores the agent's first words, and the mail that carries them. A process that died may have stored the words. */
async function storeMail(
  { engine }: MailParts,
  outreach: Outreach,
  target: WrittenTarget,
  session_id: number,
  { at, redactor, state, remembered, words, way_out, trace }: Awaited<ReturnType<typeof firstMail>>,
): Promise<void> {
  await engine.db.transaction().execute(async (tx) => {
    const written = await tx
      .insertInto("session_messages")
      .values({
        session_id,
        seq: 0,
        turn_index: 0,
        role: "agent",
        text: redactor.redact(words.text),
        lang: state.language,
        timestamp: at.toISOString(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    await keepOriginals(tx, session_id, redactor);
    if (written.numInsertedOrUpdatedRows === 1n) await insertTrace(tx, session_id, 0, trace, at);
    // The answer does not say it again. Nobody can have answered yet: the session has no turn that this could undo.
    if (state.announcements?.length) {
      await tx
        .updateTable("sessions")
        .set({ state: json(redactedState(redactor, remembered)) })
        .where("id", "=", session_id)
        .execute();
    }
    const row = {
      key: outreach.key,
      target: { ...target, target: outreach.source },
      session_id,
      from_name: target.agent_name,
      to_address: outreach.target,
      ...withWayOut(words, way_out, state.language),
      answers: null,
      in_reply_to: null,
      thread_ids: [],
    };
    await insertOutgoing(tx, engine.vault, row, at);
  });
}

/** Words that no mail can be made of now, or never. */
function refused(error: unknown): never {
  if (error instanceof UnreadableMail)
    throw new CarrierFault("The HTML of the agent's e-mail template can't be turned into text.", "refused", {
      ours: "step",
    });
  if (error instanceof Fault && error.kind === "unavailable")
    throw new CarrierFault(error.message, "not-sent", { retry_after_s: error.retry_after_s ?? 30 });
  throw error;
}

function requireTemplate({ agent, message }: Snapshot): void {
  if (message?.type === "email_template") return;
  const words = `Agent "${agent.name}" has no message of type email_template to write.`;
  throw new CarrierFault(words, "refused", { status: "UNEXPECTED_ERROR", ours: "step" });
}

/** The session of this very try, by a process that died before its mail was stored. Index: sessions_sid. */
const openedBefore = async ({ engine }: MailParts, outreach: Outreach): Promise<number | undefined> =>
  (
    await engine.db
      .selectFrom("sessions")
      .select("id")
      .where("sub_organization_id", "=", outreach.sub_organization_id)
      .where("channel_manager_service", "=", "email")
      .where("channel_manager_sid", "=", outreach.key)
      .executeTakeFirst()
  )?.id;

async function openSession(parts: MailParts, outreach: Outreach, target: WrittenTarget): Promise<number> {
  const { session_id } = await startSession(
    parts.engine,
    {
      sub_organization_id: outreach.sub_organization_id,
      agent_id: outreach.agent_id,
      channel: "email",
      service: "email",
      type: "email_v1",
      sid: outreach.key,
      channel_target_id: target.id,
      source: outreach.target,
      target: outreach.source,
      is_test: outreach.is_test,
      is_outbound: true,
      campaign_id: outreach.campaign_id,
      // Whoever reads the mailbox we write to.
      verified: true,
      variables: outreach.variables,
      announces: "in-answer",
    },
    (tx, session) => parts.attempts.sessionStarted(tx, outreach.key, session),
  );
  return session_id;
}
