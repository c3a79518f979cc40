import { sql } from "kysely";
import { CarrierFault, type OutgoingMail, type Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import type { MayGo } from "../../channels/outreach.ts";
import { suppressed } from "../../consent/suppression.ts";
import type { Db } from "../../db/database.ts";
import { publish } from "../../events/event.ts";
import { replyAddress, type UnsubscribeClaim, unsubscribeToken } from "../../mime/mail-token.ts";
import { optedOutSince } from "../mail-opt-out.ts";
import type { MailParts } from "../mail-parts.ts";
import { mailById, openMail, type StoredMail, updateMail } from "../mail-store.ts";
import { moveMail } from "./mail-out-store.ts";
import { type Fate, type GivenUp, MAILS } from "./outbound-message.ts";
import { bringAllOn, handOver, type MessageCarrier, type Outbox } from "./outbox.ts";
import { tellUndelivered, undeliveredMail } from "./undelivered.ts";

/**
 * Hands a campaign's stored mail to its carrier, once. No mail carrier can be asked whether it took a mail: one found in
 * `handing` by anybody else is never sent again, and its fate is unknown until an event or a report tells of it. One that
 * was not taken has failed: what is tried again is a try of its own, with a mail of its own.
 */
export async function handToCarrier(parts: MailParts, mail: StoredMail, mayGo?: MayGo): Promise<Taken> {
  const outbox: Outbox<StoredMail> = {
    ...mailOutbox(parts),
    keep: (mail, fate) =>
      keep(parts, mail, fate.kind === "not-taken" ? { ...fate, kind: "refused", status: PUT_OFF } : fate),
  };
  const carrier = await outbox.carrierOf(mail);
  if (carrier) return handOver(outbox, mail, carrier, mayGo);
  const status = MAILS.statuses["no-carrier"];
  await outbox.keep(mail, { kind: "given-up", status, why: "no-carrier" });
  throw new CarrierFault(NO_CARRIER, "refused", { status, ours: "source" });
}

/** Brings waiting mails on their way (outbox.ts). */
export const sendMails = (parts: MailParts, mails: readonly StoredMail[]): Promise<Date | null> =>
  bringAllOn(mailOutbox(parts), mails);

/** Stands at the mail of a try that was not taken: nothing of it is under way. */
export const PUT_OFF = "DEFERRED" satisfies ChannelStatus;

function mailOutbox(parts: MailParts): Outbox<StoredMail> {
  const { db, clock, log } = parts.engine;
  return {
    rules: MAILS,
    clock,
    log,
    about: ({ id }) => ({ mail_id: id }),
    waiting: ({ state, created_at }) => ({
      state: state === "queued" ? "queued" : "handing",
      asked_at: null,
      created_at,
    }),
    prior: (mail) => forbiddenSince(db, mail),
    carrierOf: (mail) => carrierOf(parts, mail),
    asked: ({ id }) => moveMail(db, id, "asked"),
    keep: (mail, fate) => keep(parts, mail, fate),
  };
}

/**
 * Whether its reader has opted out since it was written, for it may wait for two days; an answer: since the mail that it
 * answers came, for an agent's turn takes its time. A campaign looks before it begins a try.
 */
async function forbiddenSince(db: Db, mail: StoredMail): Promise<ChannelStatus | undefined> {
  const { sub_organization_id, to_address, answers, created_at } = mail;
  if (answers !== null) return optedOutSince(db, await mailById(db, answers));
  const since = { at: new Date(created_at), but: null };
  return (await suppressed(db, sub_organization_id, "email", [to_address], since)).get(to_address);
}

async function carrierOf(parts: MailParts, mail: StoredMail): Promise<MessageCarrier | null> {
  const found = await parts.carriers.of(mail.channel_id);
  const mails = found?.carrier.mail;
  if (!mails) return null;
  return {
    is_simulated: found.carrier.simulated,
    send: (handingOver) => mails.send(found.account, outgoingMail(parts, mail), handingOver),
  };
}

const NO_CARRIER =
  "This channel has no way to send mail: no credentials, and no mail server of the installation.";

const GIVEN_UP: Readonly<Record<string, string>> = {
  "no-carrier": NO_CARRIER,
  "too-late": "The mail server did not take it for two days.",
};

/** Kept at each mail that went to the simulator. */
const SIMULATED = "Mail simulator: this mail reached nobody.";

async function keep({ engine }: MailParts, mail: StoredMail, fate: Fate | GivenUp): Promise<void> {
  const { db, clock } = engine;
  switch (fate.kind) {
    case "taken": {
      const { taken, is_simulated } = fate;
      await moveMail(db, mail.id, "taken", {
        note: is_simulated ? SIMULATED : null,
        carrier_sid: taken.sid,
        sent_at: clock.now().toISOString(),
        // An event may have told more already.
        channel_status: sql<ChannelStatus>`coalesce(channel_status, ${taken.status})`,
      });
      if (is_simulated) await markSimulated(db, mail);
      return;
    }
    case "refused":
    case "given-up":
    case "dropped": {
      const { status } = fate;
      // Who asked to be left alone misses nothing.
      const why = fate.why === "suppressed" ? null : (GIVEN_UP[fate.why] ?? fate.why).slice(0, LONGEST_NOTE);
      const change = { ...(why !== null && { note: why }), channel_status: status };
      const now = clock.now();
      return db.transaction().execute(async (tx) => {
        const isMoved = await moveMail(tx, mail.id, fate.kind, change);
        const isAnswer = mail.answers !== null && why !== null;
        if (isMoved && isAnswer) await tellUndelivered(tx, [undeliveredMail(mail, { status, why })], now);
      });
    }
    case "not-taken":
      await moveMail(db, mail.id, "not-taken");
      // Also one that could not be made, and was not handed over at all.
      return void (await updateMail(db, mail.id, { note: fate.why.slice(0, LONGEST_NOTE) }));
    case "unanswered":
      return tellUnknown(engine, mail, fate.why?.slice(0, LONGEST_NOTE) ?? STOPPED);
    case "to-be-asked":
      throw new Error("no mail carrier can be asked");
  }
}

const LONGEST_NOTE = 1000;

async function markSimulated(db: Db, { session_id }: StoredMail): Promise<void> {
  if (session_id === null) return;
  await db.updateTable("sessions").set({ simulated: true }).where("id", "=", session_id).execute();
}

/** Kept at what was being handed over by a process that is gone. */
export const STOPPED = "The program stopped while this mail was being handed over.";

/** Nobody knows whether it was sent; somebody who works here is told. */
export async function tellUnknown(
  { db, clock }: MailParts["engine"],
  mail: StoredMail,
  note: string,
): Promise<void> {
  const at = clock.now();
  await db.transaction().execute(async (tx) => {
    if (!(await moveMail(tx, mail.id, "unanswered", { note }))) return;
    await publish(tx, mail.sub_organization_id, [
      {
        at,
        source: "outbound",
        source_id: null,
        category: "mail",
        type: "mail-fate-unknown",
        description: `A mail to ${mail.to_address} may or may not have been sent, and is not sent again`,
        ...(mail.session_id !== null && { session_id: mail.session_id }),
        user_id: mail.to_address,
        attributes: { message_id: mail.message_id, subject: mail.subject, note },
      },
    ]);
  });
}

/** Where one click takes a mail's recipient off the list. */
export const unsubscribeUrl = (
  { vault, publicUrl }: Pick<MailParts, "vault" | "publicUrl">,
  claim: UnsubscribeClaim,
): string => `${publicUrl}/unsubscribe/${unsubscribeToken(vault, claim)}`;

function outgoingMail(parts: MailParts, stored: StoredMail): OutgoingMail {
  const { vault } = parts;
  const mail = openMail(vault, stored);
  const domain = mail.from_address.split("@")[1] ?? "localhost";
  const reply_to = mail.session_id === null ? null : replyAddress(vault, mail.session_id, domain);
  const claim = { sub_organization_id: mail.sub_organization_id, address: mail.to_address, key: mail.key };
  return {
    key: mail.key,
    from: { name: mail.from_name, address: mail.from_address },
    reply_to,
    // Reports of its delivery find their way back by the same token.
    return_path: reply_to,
    to: mail.to_address,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    in_reply_to: mail.in_reply_to,
    references: mail.thread_ids,
    // What a person asked for needs no way out of it.
    unsubscribe_url: mail.answers === null ? unsubscribeUrl(parts, claim) : null,
  };
}
