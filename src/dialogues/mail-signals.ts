import { type MailSignal, suppressionOf } from "../carriers/sendgrid/sendgrid-events.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { leadsMessageFurther } from "../channels/message-progress.ts";
import { type SuppressedAddress, suppress } from "../consent/suppression.ts";
import type { Tx } from "../db/database.ts";
import type { MailParts } from "./mail-parts.ts";
import { lockMails, type ToldMail, updateMails } from "./outbound/mail-out-store.ts";
import { isUndelivered, tellUndelivered, type Undelivered, undeliveredMail } from "./outbound/undelivered.ts";

/** So many are taken in by one transaction: a post of SendGrid may hold thousands. */
const MOST = 500;

/**
 * What became of mails, as carriers and mail servers tell it: kept at the mail, on the suppression list where it is about
 * the address, and told to campaigns. Safe with signals that come twice, late, out of order or for mails that never were;
 * and for mails beside what they may be `about`: the channel whose account signed them, and the session whose address
 * they came to. Each recipient knows the key of a mail, and a tenant's own account may sign anything.
 */
export async function takeMailSignals(
  { engine, attempts }: Pick<MailParts, "engine" | "attempts">,
  about: { channel_id: number; session_id?: number },
  signals: readonly MailSignal[],
): Promise<void> {
  for (let from = 0; from < signals.length; from += MOST) {
    const part = signals.slice(from, from + MOST);
    const ours = await engine.db.transaction().execute(async (tx) => {
      const known = await mailsOf(tx, about, part);
      await store(tx, known, engine.clock.now());
      return known.map(({ signal }) => signal);
    });
    for (const signal of part.filter((each) => !ours.includes(each))) {
      const { sid, word } = signal;
      engine.log.info({ ...about, sid, word }, "what was told of a mail is about none of ours here");
    }
    if (ours.length > 0) await attempts.signal(ours);
  }
}

type Told = { mail: ToldMail; signal: MailSignal };

async function mailsOf(
  tx: Tx,
  about: { channel_id: number; session_id?: number },
  signals: readonly MailSignal[],
): Promise<Told[]> {
  const keys = signals.flatMap(({ key }) => key ?? []);
  const mails = new Map((await lockMails(tx, about.channel_id, keys)).map((mail) => [mail.key, mail]));
  return signals.flatMap((signal) => {
    const mail = signal.key === null ? undefined : mails.get(signal.key);
    const isAbout = about.session_id === undefined || mail?.session_id === about.session_id;
    return mail && isAbout ? [{ mail, signal }] : [];
  });
}

async function store(tx: Tx, told: readonly Told[], now: Date): Promise<void> {
  const changed = new Map<number, { id: number; channel_status: ChannelStatus | null; told_at: Date }>();
  const undelivered: Undelivered[] = [];
  for (const { mail, signal } of told) {
    const before = changed.get(mail.id) ?? {
      id: mail.id,
      channel_status: mail.channel_status,
      told_at: signal.at,
    };
    const isFurther = leadsMessageFurther(before.channel_status, signal.status);
    changed.set(mail.id, { ...before, channel_status: isFurther ? signal.status : before.channel_status });
    if (isFurther && mail.answers !== null && isUndelivered(signal.status))
      undelivered.push(undeliveredMail(mail, { status: signal.status, why: signal.reason }));
  }
  await updateMails(tx, [...changed.values()]);
  await tellUndelivered(tx, undelivered, now);
  const entries: SuppressedAddress[] = [];
  for (const { mail, signal } of told) {
    const entry = entryOf(mail, signal);
    const isTwice = entry && mail.channel_status === signal.status && (await wasLifted(tx, entry));
    if (entry && !isTwice) entries.push(entry);
  }
  // In one order: whoever puts the same people on the list at this moment waits, and neither for the other.
  const place = ({ address, scope, reason }: SuppressedAddress) => `${address} ${scope} ${reason}`;
  await suppress(
    tx,
    entries.toSorted((a, b) => Number(place(a) > place(b)) - Number(place(a) < place(b))),
    now,
  );
}

/** Whether the very event was on the list and is not any more: told again, it takes nobody's START back. Index: suppressions_session. */
async function wasLifted(tx: Tx, { address, scope, reason, proof }: SuppressedAddress): Promise<boolean> {
  const lifted = await tx
    .selectFrom("suppressions")
    .select("id")
    .where("session_id", "=", proof.session_id)
    .where("address", "=", address)
    .where("scope", "=", scope)
    .where("reason", "=", reason)
    .where("through", "=", proof.through)
    .where("message_id", "=", proof.message_id)
    .where("occurred_at", "=", proof.at.toISOString())
    .where("lifted_at", "is not", null)
    .executeTakeFirst();
  return lifted !== undefined;
}

function entryOf(mail: ToldMail, signal: MailSignal): SuppressedAddress | null {
  const reason = suppressionOf(signal);
  if (reason === null) return null;
  const isWish = reason === "unsubscribed" || reason === "spam-report";
  return {
    sub_organization_id: mail.sub_organization_id,
    address: mail.to_address,
    scope: isWish ? "all" : "email",
    reason,
    proof: {
      at: signal.at,
      through: "carrier",
      said: signal.reason ?? signal.word,
      session_id: mail.session_id,
      message_id: mail.message_id,
    },
  };
}
