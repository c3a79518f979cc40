import { sql } from "kysely";
import { CarrierFault, type OutgoingMail, type Taken } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { requireGo } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { replyAddress, type UnsubscribeClaim, unsubscribeToken } from "../mime/mail-token.ts";
import type { MailParts } from "./mail-parts.ts";
import { type StoredMail, updateMail } from "./mail-store.ts";

/**
 * Hands one stored mail to its carrier, once:
 *
 *     queued → (all is said but the last word) handing → sent | failed
 *
 * A mail found in `handing` by anybody else may have been taken by a carrier that no one can ask: it is never sent again
 * and its fate is unknown until an event or a report tells of it.
 */
export async function handToCarrier(
  parts: MailParts,
  mail: StoredMail,
  mayGo?: () => boolean,
): Promise<Taken> {
  const { engine, carriers } = parts;
  const { db, clock } = engine;
  const found = await carriers.of(mail.channel_id);
  if (!found?.carrier.mail) {
    const message =
      "This channel has no way to send mail: no credentials, and no mail server of the installation.";
    const status = "UNEXPECTED_ERROR";
    await updateMail(db, mail.id, { state: "failed", note: message, channel_status: status }, "queued");
    throw new CarrierFault(message, "refused", { status, is_ours: true });
  }
  let isOthers = false;
  const handingOver = async () => {
    isOthers = !(await updateMail(db, mail.id, { state: "handing" }, "queued"));
    if (isOthers) throw new Error("somebody else sends this mail");
    requireGo(mayGo);
  };
  try {
    const taken = await found.carrier.mail.send(found.account, outgoingMail(parts, mail), handingOver);
    const sent = {
      state: "sent" as const,
      note: found.carrier.simulated ? SIMULATED : null,
      carrier_sid: taken.sid,
      sent_at: clock.now().toISOString(),
      // An event may have told more already.
      channel_status: sql<ChannelStatus>`coalesce(channel_status, ${taken.status})`,
    };
    await updateMail(db, mail.id, sent);
    if (found.carrier.simulated) await markSimulated(db, mail);
    return taken;
  } catch (error) {
    if (isOthers) throw new CarrierFault("Somebody else sends this mail.", "unknown", { cause: error });
    if (error instanceof CarrierFault) await keepFault(parts, mail, error);
    throw error;
  }
}

/** Kept at each mail that went to the simulator. */
const SIMULATED = "Mail simulator: this mail reached nobody.";

async function markSimulated(db: Db, { session_id }: StoredMail): Promise<void> {
  if (session_id === null) return;
  await db.updateTable("sessions").set({ simulated: true }).where("id", "=", session_id).execute();
}

async function keepFault({ engine }: MailParts, mail: StoredMail, fault: CarrierFault): Promise<void> {
  const { db, log } = engine;
  const note = fault.message.slice(0, 1000);
  log.warn({ mail_id: mail.id, fate: fault.fate, status: fault.status }, fault.message);
  if (fault.fate === "not-sent") {
    await updateMail(db, mail.id, { state: "queued" }, "handing");
    await updateMail(db, mail.id, { note });
  } else if (fault.fate === "refused") {
    await updateMail(db, mail.id, { state: "failed", note, channel_status: fault.status ?? "DROPPED" });
  } else await tellUnknown(engine, mail, note);
}

export const STOPPED = "The program stopped while this mail was being handed over.";

/** Nobody knows whether it was sent; somebody who works here is told. */
export async function tellUnknown(
  { db, clock }: MailParts["engine"],
  mail: StoredMail,
  note: string,
): Promise<void> {
  const at = clock.now();
  await db.transaction().execute(async (tx) => {
    if (!(await updateMail(tx, mail.id, { state: "unknown", note }, "handing"))) return;
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

function outgoingMail(parts: MailParts, mail: StoredMail): OutgoingMail {
  const { vault } = parts;
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
